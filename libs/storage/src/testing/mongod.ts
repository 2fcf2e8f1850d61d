import mongoose from "mongoose";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestDatabase } from "./database.ts";

const startTimeoutMs = 60_000;

/** Starts a mongod as a replica set of one node over a new folder; `close` ends it and removes the folder. */
export async function startMongod(binary: string): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-mongod-"));
  const port = await freePort();
  const uri = `mongodb://127.0.0.1:${port}/?replicaSet=rs0&directConnection=true`;
  const process = spawn(
    binary,
    [
      ...["--bind_ip", "127.0.0.1", "--port", String(port), "--dbpath", folder, "--replSet", "rs0"],
      ...["--wiredTigerCacheSizeGB", "0.25", "--quiet", "--nounixsocket"],
    ],
    { stdio: "ignore" },
  );
  const exited = once(process, "exit");
  const close = async (): Promise<void> => {
    process.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await initiate(port);
    return { uri, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes the node a replica set of its own and waits until it takes writes. */
async function initiate(port: number): Promise<void> {
  const connection = await mongoose
    .createConnection(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
      serverSelectionTimeoutMS: startTimeoutMs,
    })
    .asPromise();
  try {
    const admin = connection.getClient().db("admin");
    await admin.command({
      replSetInitiate: { _id: "rs0", members: [{ _id: 0, host: `127.0.0.1:${port}` }] },
    });
    const until = Date.now() + startTimeoutMs;
    while ((await admin.command({ hello: 1 }))["isWritablePrimary"] !== true) {
      if (Date.now() > until) throw new Error("mongod did not become primary");
      await sleep(50);
    }
  } finally {
    await connection.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}
