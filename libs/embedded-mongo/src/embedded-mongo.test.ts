import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { describeMongo, type ServerUnderTest } from "./mongo.suite.ts";
import { createEmbeddedMongoServer } from "./index.ts";

const reasons = describeMongo("the embedded server", {
  embedded: true,
  provide: () => createEmbeddedMongoServer({ folder: ":memory:", expiryInterval: 250 }),
});

const { MONGOD_BINARY: binary, MONGODB_URI: uri } = process.env;
if (uri !== undefined) {
  describeMongo("a real MongoDB", {
    embedded: false,
    provide: () => Promise.resolve({ uri, close: async () => undefined }),
  });
} else if (binary !== undefined) {
  describeMongo("a real mongod", { embedded: false, provide: () => startMongod(binary) });
}

it("differs only for reasons that README.md lists", async () => {
  const text = await readFile(join(import.meta.dirname, "..", "README.md"), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith("Differences\n")) ?? "";
  const listed = [...section.matchAll(/^- `([a-z0-9-]+)`: \S/gm)].map(([, reason]) => reason);
  expect(listed.sort()).toEqual([...reasons].sort());
});

/** Starts a mongod as a replica set of one node. */
async function startMongod(path: string): Promise<ServerUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "embedded-mongo-real-"));
  const port = await freePort();
  const child = spawn(
    path,
    ["--replSet", "rs0", "--bind_ip", "127.0.0.1", "--port", String(port), "--dbpath", folder].concat([
      "--wiredTigerCacheSizeGB",
      "0.25",
      "--quiet",
      "--nounixsocket",
    ]),
    { stdio: "ignore" },
  );
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 40_000 }).connect();
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  await client.db("admin").command({ replSetInitiate: { _id: "rs0", members } });
  while ((await client.db("admin").command({ hello: 1 }))["isWritablePrimary"] !== true) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await client.close();
  return {
    uri: `${uri}&replicaSet=rs0`,
    async close() {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
