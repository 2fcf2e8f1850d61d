import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import mongoose from "mongoose";

/** A `mongod` that this process started. */
export interface LocalMongod {
  /** Its connection string; transactions work over it. */
  uri: string;
  close(): Promise<void>;
}

const startTimeoutMs = 60_000;

/**
 * Starts a `mongod` as a replica set of one node, on loopback and a free port, with its data in a folder.
 * Throws when it ends before it serves, or does not serve within a minute.
 */
export async function startMongod({ binary, folder }: { binary: string; folder: string }): Promise<LocalMongod> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const bounds = ["--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25", "--quiet"];
  const child = spawn(binary, ["--replSet", "rs0", "--port", String(port), "--dbpath", folder, ...bounds], {
    stdio: "ignore",
  });
  let ended: string | undefined;
  child.once("error", (error) => (ended = error.message));
  child.once("exit", (code, signal) => (ended = `it ended with ${signal ?? code}`));
  // Left behind by nobody: when this process ends in whatever orderly way, so does the server.
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  const close = async () => {
    process.removeListener("exit", end);
    if (ended !== undefined) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    end();
    await exited;
  };
  const uri = `mongodb://127.0.0.1:${port}/?replicaSet=rs0&directConnection=true`;
  try {
    await initiate(uri, `127.0.0.1:${port}`, () => ended);
  } catch (error) {
    await close();
    throw new Error(`The mongod at ${binary} did not start: ${ended ?? String(error)}`, { cause: error });
  }
  return { uri, close };
}

/** Makes the server a replica set of its own, where it is not one yet, and waits until it takes writes. */
async function initiate(uri: string, host: string, ended: () => string | undefined): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  const direct = uri.replace("replicaSet=rs0&", "");
  for (;;) {
    try {
      const connection = await mongoose.createConnection(direct, { serverSelectionTimeoutMS: 1_000 }).asPromise();
      try {
        const admin = connection.getClient().db("admin");
        const hello = await admin.command({ hello: 1 });
        if (hello["isWritablePrimary"] === true) return;
        if (hello["setName"] === undefined) {
          await admin.command({ replSetInitiate: { _id: "rs0", members: [{ _id: 0, host }] } });
        } else if (hello["me"] !== host && hello["me"] !== undefined) {
          await moveTo(admin, host);
        }
      } finally {
        await connection.close();
      }
    } catch (error) {
      if (ended() !== undefined || Date.now() > deadline) throw error;
    }
    await sleep(100);
  }
}

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

/** A replica set remembers its node's address; a folder that was served on another port is told the new one. */
async function moveTo(admin: mongoose.mongo.Db, host: string): Promise<void> {
  const { config } = (await admin.command({ replSetGetConfig: 1 })) as { config: ReplicaSetConfig };
  const members = config.members.map((member) => ({ ...member, host }));
  await admin.command({ replSetReconfig: { ...config, members, version: config.version + 1 }, force: true });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
