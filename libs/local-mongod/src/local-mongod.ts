import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@switchyard/rpc";
import mongoose from "mongoose";

/** A `mongod` that was started by this process. */
export interface LocalMongod {
  /** The connection string, which supports transactions. */
  uri: string;
  close: () => Promise<void>;
}

const transactionLifetimeSeconds = 20;
/**
 * How much of the cache, in percent, may be changes that are not written to the disk. By default, changes of a tenth of it slow down all
 * transactions, so that two of 12 MB at the same time were aborted again and again.
 */
const cacheOptions =
  "eviction_dirty_target=20,eviction_dirty_trigger=60,eviction_updates_target=20,eviction_updates_trigger=50";
const startTimeoutMs = 60_000;
/** The exit code of mongod if another process holds the folder. */
const folderInUse = 100;
/** The exit code of the guard if mongod cannot be started, which also stands for the guard itself. */
const notStarted = 127;
/** The time to wait for a previous process to release the folder, in milliseconds. */
const folderTimeoutMs = 15_000;
/** The pauses before a mongod that ended is started again. A longer one follows each that ends during the last of these times. */
const [minPauseMs, maxPauseMs] = [500, 60_000];

/**
 * Starts a `mongod` as a replica set of one node, on loopback and a free port, with its data in a folder. It ends with this process, even
 * if this process is killed. If it ends before, it is started again at the same address. Throws if it ends before it is ready, or is not
 * ready within a minute.
 */
export async function startMongod({ binary, folder }: { binary: string; folder: string }): Promise<LocalMongod> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const deadline = Date.now() + folderTimeoutMs; ; await sleep(250)) {
    const port = await freePort();
    const server = launch(binary, folder, port);
    try {
      await initiate(server.uri, server.host, server.ended);
      return keepRunning(server, () => launch(binary, folder, port));
    } catch (error) {
      const ended = server.ended();
      await server.close();
      if (ended === folderInUse && Date.now() < deadline) continue;
      if (ended === folderInUse) throw new Error(`The folder ${folder} is in use by another mongod`, { cause: error });
      const reason = ended === undefined ? String(error) : `it ended with ${ended}`;
      throw new Error(`The mongod at ${binary} did not start: ${reason}`, { cause: error });
    }
  }
}

/** Starts a mongod again whenever it ends, for example because the system has killed it to free memory, until it is closed. */
function keepRunning(first: Launched, launchAgain: () => Launched): LocalMongod {
  let [server, isClosed] = [first, false];
  const supervise = async (): Promise<void> => {
    for (let pauseMs = minPauseMs; ;) {
      const began = performance.now();
      await server.gone;
      if (isClosed) return;
      pauseMs = performance.now() - began > maxPauseMs ? minPauseMs : Math.min(2 * pauseMs, maxPauseMs);
      process.emitWarning(`The mongod at ${first.host} ended with ${server.ended()}, and is started again`);
      await sleep(pauseMs, undefined, { ref: false });
      if (isClosed) return;
      server = launchAgain();
    }
  };
  void supervise();
  return {
    uri: first.uri,
    async close() {
      isClosed = true;
      await server.close();
    },
  };
}

interface Launched extends LocalMongod {
  host: string;
  /** Resolves when it has ended. */
  gone: Promise<void>;
  /** Returns the exit code, or undefined while it is running. */
  ended: () => number | undefined;
}

function launch(binary: string, folder: string, port: number): Launched {
  const host = `127.0.0.1:${port}`;
  // Open transactions of a killed process block others for this long. The default is a minute.
  const lifetime = ["--setParameter", `transactionLifetimeLimitSeconds=${transactionLifetimeSeconds}`];
  const bounds = ["--bind_ip", "127.0.0.1", "--nounixsocket", "--quiet"];
  const cache = ["--wiredTigerCacheSizeGB", "0.25", "--wiredTigerEngineConfigString", cacheOptions];
  const place = ["--port", String(port), "--dbpath", folder];
  const args = [binary, "--replSet", "rs0", ...place, ...bounds, ...cache, ...lifetime];
  const guard = spawn(process.execPath, [join(import.meta.dirname, "mongod-guard.ts"), ...args], {
    stdio: ["pipe", "ignore", "ignore"],
    // A signal of a terminal, such as Ctrl-C, must not end it before this process has written its last data.
    detached: true,
  });
  let ended: number | undefined;
  const gone = new Promise<void>((resolve) => {
    const end = (code: number): void => {
      ended ??= code;
      resolve();
    };
    guard.once("exit", (code) => end(code ?? 1));
    // No process could be started. The error would end this one.
    guard.once("error", () => end(notStarted));
  });
  return {
    host,
    uri: `mongodb://${host}/?replicaSet=rs0&directConnection=true`,
    gone,
    ended: () => ended,
    async close() {
      guard.stdin.end();
      await gone;
    },
  };
}

/** Initiates the replica set if necessary, and waits until it accepts writes. */
async function initiate(uri: string, host: string, ended: () => number | undefined): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  const direct = uri.replace("replicaSet=rs0&", "");
  for (;;) {
    try {
      const connection = await mongoose.createConnection(direct, { serverSelectionTimeoutMS: 1_000 }).asPromise();
      try {
        const admin = connection.getClient().db("admin");
        const hello = await admin.command({ hello: 1 });
        if (hello["isWritablePrimary"] === true) return;
        if (hello["setName"] === undefined) await joinSet(admin, host);
      } finally {
        await connection.close();
      }
    } catch (error) {
      if (ended() !== undefined || Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new Error("it did not become the primary of its replica set");
    await sleep(100);
  }
}

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

const alreadyInitialized = 23;

/** Initiates the replica set. A folder that was used before contains its old address, which is replaced. */
async function joinSet(admin: mongoose.mongo.Db, host: string): Promise<void> {
  try {
    await admin.command({ replSetInitiate: { _id: "rs0", members: [{ _id: 0, host }] } });
  } catch (error) {
    if ((error as { code?: unknown }).code !== alreadyInitialized) throw error;
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as { config: ReplicaSetConfig };
    const members = config.members.map((member) => ({ ...member, host }));
    await admin.command({ replSetReconfig: { ...config, members, version: config.version + 1 }, force: true });
  }
}
