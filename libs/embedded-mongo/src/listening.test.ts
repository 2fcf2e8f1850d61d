import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { MongoClient } from "mongodb";
import { createEmbeddedMongoServer, startEmbeddedMongo, type EmbeddedMongo } from "./index.ts";
import { listenLocally } from "./listening.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function countAfterInsertion({ uri }: EmbeddedMongo): Promise<number> {
  const client = await new MongoClient(uri).connect();
  const things = client.db("test").collection("things");
  await things.insertOne({});
  const count = await things.countDocuments();
  await client.close();
  return count;
}

describe.runIf(process.platform !== "win32")("a server of a folder", () => {
  it("listens on a socket in it that only its user can open, and removes it when it closes", async () => {
    const server = await startEmbeddedMongo({ folder });
    const path = join(folder, "store.sock");
    expect(server.uri).toBe(`mongodb://${encodeURIComponent(path)}/?replicaSet=rs0&directConnection=true`);
    expect(server.port).toBeUndefined();
    expect(statSync(path).isSocket()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await countAfterInsertion(server)).toBe(1);
    await server.close();
    expect(existsSync(path)).toBe(false);
  });

  it("replaces the socket of a server that was killed", async () => {
    const path = join(folder, "store.sock");
    const killed = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
    await once(spawn(process.execPath, ["--eval", killed], { stdio: "ignore" }), "exit");
    expect(statSync(path).isSocket()).toBe(true);
    const server = await createEmbeddedMongoServer({ folder });
    expect(await countAfterInsertion(server)).toBe(1);
    await server.close();
  });

  it("listens on loopback if the permissions of the socket cannot be set", async () => {
    // Without the socket, setting them fails as on file systems that do not support it.
    const listener = createServer().once("listening", () => rmSync(join(folder, "store.sock")));
    const { address, port } = await listenLocally(listener, { folder });
    expect(address).toBe(`127.0.0.1:${port}`);
    const socket = connect(port ?? 0, "127.0.0.1");
    await once(socket, "connect");
    socket.destroy();
    const closed = once(listener, "close");
    listener.close();
    await closed;
  });

  it.each(["very-long-".repeat(10), "100%25", "accentué"])(
    "listens on loopback if the path cannot be that of a socket: %s",
    async (name) => {
      const server = await createEmbeddedMongoServer({ folder: join(folder, name) });
      expect(server.uri).toContain(`mongodb://127.0.0.1:${server.port}/`);
      expect(await countAfterInsertion(server)).toBe(1);
      await server.close();
    },
  );
});

it("a server with a port listens on it, and on nothing else", async () => {
  const server = await createEmbeddedMongoServer({ folder, port: 0 });
  const socket = connect(server.port ?? 0, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  expect(existsSync(join(folder, "store.sock"))).toBe(false);
  await expect(createEmbeddedMongoServer({ folder: ":memory:", port: server.port ?? 0 })).rejects.toThrow("EADDRINUSE");
  await server.close();
});
