import { createLogger, getProblemFacts, freePort, storageProblem } from "@switchyard/rpc";
import { connectStorage, warnOfSlowFailover } from "@switchyard/storage";
import mongoose from "mongoose";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getBlocks } from "../pages.ts";
import { root } from "../processes.ts";

const binary = process.env["MONGOD_BINARY"] ?? "";
const long = process.env["SWITCHYARD_TEST_COUNTS"] === "long";

/** Settings of a replica set, and the maximum time without a write that they allow on a shared machine. */
interface Case {
  title: string;
  settings: Record<string, number>;
  longestPauseMs: number;
}

const cases: Case[] = [
  {
    title: "the settings that docs/storage.md recommends",
    settings: recommendedSettings(),
    // docs/storage.md states about 8 s, and the target is 12 s. Short counts share the machine, so they only check that the outage ends.
    longestPauseMs: long ? 12_000 : 45_000,
  },
  // For docs/storage.md: with defaults, a set waits 10 s before an election, and operations on the hung node up to 10 s more.
  ...(long ? [{ title: "MongoDB's defaults", settings: {}, longestPauseMs: 40_000 }] : []),
];

/** The settings in the mongosh block of docs/storage.md. */
function recommendedSettings(): Record<string, number> {
  const block = getBlocks(readFileSync(join(root, "docs/storage.md"), "utf8")).find(
    ({ language }) => language === "js",
  );
  const settings = [...(block?.text ?? "").matchAll(/(\w+): (\d+),/g)];
  return Object.fromEntries(settings.map(([, name, value]) => [name, Number(value)]));
}

interface Node {
  host: string;
  process: ChildProcess;
}

function uriOf(nodes: readonly Node[]): string {
  return `mongodb://${nodes.map(({ host }) => host).join(",")}/?replicaSet=rs0`;
}

(binary === "" ? describe.skip : describe).each(cases)(
  "a replica set of three whose primary hangs, with $title",
  (set) => {
    let folder: string;
    let nodes: Node[];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "switchyard-set-"));
      nodes = await Promise.all([0, 1, 2].map(startNode));
      const members = nodes.map(({ host }, _id) => ({ _id, host }));
      await admin(nodes[0]?.host ?? "", { replSetInitiate: { _id: "rs0", members, settings: set.settings } });
    });
    afterAll(async () => {
      const gone = nodes.map(({ process }) => once(process, "exit"));
      for (const { process } of nodes) process.kill("SIGKILL");
      await Promise.all(gone);
      await rm(folder, { recursive: true, force: true });
    });

    async function startNode(number: number): Promise<Node> {
      const port = await freePort();
      const path = await mkdtemp(join(folder, `${number}-`));
      const bounds = ["--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25", "--quiet"];
      const args = ["--replSet", "rs0", "--port", String(port), "--dbpath", path, ...bounds];
      return { host: `127.0.0.1:${port}`, process: spawn(binary, args, { stdio: "ignore" }) };
    }

    async function admin(host: string, command: Record<string, unknown>): Promise<Record<string, unknown>> {
      for (const deadline = Date.now() + 60_000; ;) {
        try {
          const uri = `mongodb://${host}/?directConnection=true`;
          const client = await mongoose.createConnection(uri, { serverSelectionTimeoutMS: 1_000 }).asPromise();
          try {
            return await client.getClient().db("admin").command(command);
          } finally {
            await client.close();
          }
        } catch (error) {
          if (Date.now() > deadline) throw error;
          await sleep(200);
        }
      }
    }

    async function primary(): Promise<Node> {
      for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(200)) {
        const { primary: host } = await admin(nodes[1]?.host ?? "", { hello: 1 });
        const found = nodes.find((node) => node.host === host);
        if (found !== undefined) return found;
      }
      throw new Error("no primary");
    }

    it("causes a warning with MongoDB's defaults, and only then", async () => {
      const written = async (settings: Record<string, number>): Promise<string> => {
        const { host } = await primary();
        const { config } = (await admin(host, { replSetGetConfig: 1 })) as { config: { version: number } };
        await admin(host, { replSetReconfig: { ...config, version: config.version + 1, settings } });
        const storage = await connectStorage({ uri: uriOf(nodes), database: "advice" });
        let log = "";
        const destination = new Writable({
          write(chunk, _encoding, done) {
            log += String(chunk);
            done();
          },
        });
        try {
          await warnOfSlowFailover(storage, createLogger({ name: "test", level: "warn", destination }));
        } finally {
          await storage.close();
        }
        return log;
      };
      expect(await written({})).toMatch(/"electionTimeoutMillis":10000,"heartbeatTimeoutSecs":10.*docs\/storage\.md/);
      expect(await written(recommendedSettings())).toBe("");
      await written(set.settings);
    });

    it("accepts writes again soon, and has all acknowledged writes", async () => {
      const hung = await primary();
      const storage = await connectStorage({ uri: uriOf(nodes), database: "hung" });
      const things = storage.connection.collection<{ _id: string }>("things");
      const acknowledged: string[] = [];
      const failures = new Set<string>();
      let [last, longest, writing, number] = [Date.now(), 0, true, 0];
      async function write(): Promise<void> {
        while (writing) {
          const _id = `${(number += 1)}`;
          try {
            // Half of the writes are in transactions.
            if (number % 2 === 0) await things.insertOne({ _id });
            else await storage.atomically((session) => things.insertOne({ _id }, { session }));
          } catch (error) {
            failures.add(getProblemFacts(storageProblem(error) ?? error).reason);
            continue;
          }
          acknowledged.push(_id);
          longest = Math.max(longest, Date.now() - last);
          last = Date.now();
        }
      }
      try {
        await things.insertOne({ _id: "first" });
        last = Date.now();
        const writers = Promise.all(Array.from({ length: 4 }, write));
        await sleep(500);
        hung.process.kill("SIGSTOP");
        const before = acknowledged.length;
        // A few writes may have been in flight.
        for (const deadline = Date.now() + 60_000; acknowledged.length < before + 50 && Date.now() < deadline;)
          await sleep(50);
        writing = false;
        hung.process.kill("SIGCONT");
        await writers;
        expect(acknowledged.length).toBeGreaterThanOrEqual(before + 50);
        // The writes did not conflict with each other.
        expect([...failures].filter((reason) => reason !== "STORAGE_UNAVAILABLE")).toEqual([]);
        process.stderr.write(`longest pause between two writes: ${longest} ms\n`);
        expect(longest).toBeLessThan(set.longestPauseMs);
        const there = await things
          .find({}, { readConcern: "majority" })
          .map(({ _id }) => _id)
          .toArray();
        expect(new Set(there)).toEqual(new Set([...there, ...acknowledged]));
        await storage.ping();
      } finally {
        writing = false;
        hung.process.kill("SIGCONT");
        await storage.close();
      }
    });
  },
);
