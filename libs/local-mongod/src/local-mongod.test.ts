import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { startMongod } from "./local-mongod.ts";

const { MONGOD_BINARY: binary = "" } = process.env;
const itWithMongod = binary === "" ? it.skip : it;

itWithMongod(
  "a mongod that is killed is started again at the same address, until it is closed",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-mongod-"));
    const node = process.execPath;
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", warned);
    const mongod = await startMongod({ binary, folder });
    const connection = await mongoose.createConnection(mongod.uri).asPromise();
    const things = connection.getClient().db("test").collection("things");
    const kill = async (): Promise<void> => {
      const { pid } = await connection.getClient().db("admin").command({ serverStatus: 1 });
      process.kill(Number(pid), "SIGKILL");
    };
    try {
      for (let times = 1; times <= 2; times++) {
        await things.insertOne({ times }, { writeConcern: { w: "majority" } });
        await kill();
        await expect.poll(() => things.countDocuments().catch(String), { timeout: 60_000 }).toBe(times);
      }
      expect(warnings).toEqual([1, 2].map(() => expect.stringMatching(/^The mongod at 127.0.0.1:\d+ ended with 137/)));
      // For a while, no process can be started, as during an update of Node.js or without memory.
      process.execPath = join(folder, "missing");
      await kill();
      await expect.poll(() => warnings.at(-1), { timeout: 60_000 }).toContain("ended with 127");
      process.execPath = node;
      await expect.poll(() => things.countDocuments().catch(String), { timeout: 60_000 }).toBe(2);
    } finally {
      process.execPath = node;
      await connection.close();
      await mongod.close();
      process.off("warning", warned);
    }
    await expect(mongoose.createConnection(mongod.uri, { serverSelectionTimeoutMS: 3000 }).asPromise()).rejects.toThrow(
      /ECONNREFUSED/,
    );
    await rm(folder, { recursive: true });
  },
  180_000,
);

itWithMongod(
  "a mongod commits transactions of many megabytes at the same time",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-mongod-"));
    const mongod = await startMongod({ binary, folder });
    const connection = await mongoose.createConnection(mongod.uri).asPromise();
    const things = connection.getClient().db("test").collection<{ _id: string; bytes: Buffer }>("things");
    await things.createIndex({ at: 1 });
    const write = async (name: string): Promise<void> => {
      const session = await connection.startSession();
      session.startTransaction();
      for (let at = 0; at < 12; at += 1) {
        await things.insertOne({ _id: `${name} ${at}`, bytes: Buffer.alloc(1024 * 1024, at) }, { session });
      }
      await session.commitTransaction();
      await session.endSession();
    };
    try {
      await Promise.all(["a", "b", "c", "d"].map(write));
      expect(await things.countDocuments()).toBe(48);
    } finally {
      await connection.close();
      await mongod.close();
      await rm(folder, { recursive: true });
    }
  },
  180_000,
);

/** A program that starts a mongod, and pings it half a second after SIGINT. */
const program = `
  import mongoose from "mongoose";
  import { startMongod } from ${JSON.stringify(join(import.meta.dirname, "local-mongod.ts"))};
  const mongod = await startMongod({ binary: process.argv[1], folder: process.argv[2] });
  process.once("SIGINT", () => setTimeout(async () => {
    const connection = await mongoose.createConnection(mongod.uri, { serverSelectionTimeoutMS: 3000 }).asPromise();
    await connection.getClient().db("test").command({ ping: 1 });
    await connection.close();
    await mongod.close();
    console.log("closed");
  }, 500));
  console.log("started");`;

itWithMongod(
  "a mongod is used until its process closes it, even if both are interrupted by Ctrl-C",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-mongod-"));
    const args = ["--input-type=module", "--eval", program, binary, folder];
    // The program leads a process group, to which a terminal would send the signal.
    const child = spawn(process.execPath, args, {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    await expect.poll(() => output, { timeout: 60_000 }).toContain("started");
    process.kill(-Number(child.pid), "SIGINT");
    await once(child, "close");
    expect(output).toContain("closed");
    await rm(folder, { recursive: true });
  },
  180_000,
);
