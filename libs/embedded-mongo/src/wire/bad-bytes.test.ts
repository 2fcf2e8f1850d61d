import { deserialize, type Document } from "bson";
import { fork, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { createGarbage, type BadCase } from "../testing/garbage.ts";
import { message, section } from "../testing/messages.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const seed = Number(process.env["SWITCHYARD_TEST_SEED"] ?? (isLong ? Date.now() % 1_000_000 : 1));
const count = isLong ? 12_000 : 1000;
const maxMegabytes = 600;

/** Runs in the server's process before the server, and reports its memory. */
const meter = "process.on('message', () => process.send(process.memoryUsage.rss()))";

describe(`the server with invalid bytes on its socket (SWITCHYARD_TEST_SEED=${seed})`, () => {
  let folder: string;
  let child: ChildProcess;
  let port: number;
  let client: MongoClient;
  let held: Socket[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
    child = fork(join(import.meta.dirname, "../main.ts"), {
      env: { ...process.env, SWITCHYARD_DATA: folder, EMBEDDED_MONGO_PORT: "0", NODE_OPTIONS: "" },
      execArgv: ["--max-old-space-size=256", "--import", `data:text/javascript,${encodeURIComponent(meter)}`],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    const uri = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stdout?.on("data", (chunk) => {
        const found = /mongodb:\S+/.exec((said += String(chunk)))?.[0];
        if (found !== undefined) resolve(found);
      });
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    port = Number(new URL(uri).port);
    client = await new MongoClient(uri, {
      retryReads: false,
      retryWrites: false,
      serverSelectionTimeoutMS: 10_000,
    }).connect();
  });
  afterEach(() => {
    held.forEach((socket) => socket.destroy());
    held = [];
  });
  afterAll(async () => {
    await client.close();
    child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  });

  async function megabytes(): Promise<number> {
    const reply = new Promise<number>((resolve) => child.once("message", (bytes) => resolve(Number(bytes) / 2 ** 20)));
    child.send("how much?");
    return reply;
  }

  /** Checks that a client without bad messages is served. */
  async function expectGoodService(): Promise<void> {
    const things = client.db("good").collection<{ n: number }>("things");
    const { insertedId } = await things.insertOne({ n: 1 });
    await things.updateOne({ _id: insertedId }, { $inc: { n: 1 } });
    expect(await things.findOne({ _id: insertedId })).toMatchObject({ n: 2 });
    expect(child.exitCode).toBeNull();
  }

  /** Writes the bytes, ends the connection, and returns the replies until the server closes it. */
  function send({ pieces }: Pick<BadCase, "pieces">): Promise<Document[]> {
    return new Promise((resolve, reject) => {
      const replies: Buffer[] = [];
      const socket = connect(port, "127.0.0.1", () => {
        for (const piece of pieces) socket.write(piece);
        socket.end();
      });
      socket.setTimeout(20_000, () => reject(new Error("timed out")));
      socket.on("data", (chunk: Buffer) => replies.push(chunk));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(repliesIn(Buffer.concat(replies))));
    });
  }

  it(`survives ${count} bad connections without an internal error`, async () => {
    const next = createGarbage(seed);
    const wrong: string[] = [];
    let [left, replyCount] = [count, 0];
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (left-- > 0) {
          const bad = next();
          const replies = await send(bad).catch((error: unknown) => [{ code: 1, errmsg: String(error) }]);
          replyCount += replies.length;
          for (const reply of replies) if (reply["code"] === 1) wrong.push(`${bad.name}: ${reply["errmsg"]}`);
          if (left % 50 === 0) await expectGoodService();
        }
      }),
    );
    expect(wrong).toEqual([]);
    expect(replyCount).toBeGreaterThan(count / 4);
    await expectGoodService();
    expect(await megabytes()).toBeLessThan(maxMegabytes);
  }, 600_000);

  it("limits the memory for incomplete messages", async () => {
    const piece = Buffer.alloc(2 ** 20, 1);
    const begun = message(piece, { length: 47_000_000 });
    let closed = 0;
    for (let at = 0; at < 12; at++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined).on("close", () => (closed += 1));
      held.push(socket);
      socket.write(begun);
      for (let pieces = 1; pieces < 40 && !socket.destroyed; pieces++) {
        await new Promise<void>((sent) => socket.write(piece, () => sent()));
      }
      expect(await megabytes()).toBeLessThan(maxMegabytes + 256);
    }
    await expectGoodService();
    expect(closed).toBeGreaterThan(4);
  });

  it("serves others while many connections have incomplete messages or unread replies", async () => {
    const whole = message(section({ ping: 1, $db: "bad" }));
    for (let at = 0; at < 500; at++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      held.push(socket);
      socket.write(whole.subarray(0, 1 + (at % (whole.length - 1))));
    }
    await client
      .db("good")
      .collection("large")
      .insertOne({ text: "x".repeat(10_000_000) });
    const find = message(section({ find: "large", $db: "good" }));
    for (let at = 0; at < 40; at++) {
      const socket = connect(port, "127.0.0.1").pause();
      socket.on("error", () => undefined);
      held.push(socket);
      socket.write(Buffer.concat(Array.from({ length: 50 }, () => find)));
    }
    for (let times = 0; times < 10; times++) await expectGoodService();
    expect(await megabytes()).toBeLessThan(maxMegabytes + 256);
  });
});

/** Returns the documents of the complete replies in these bytes. */
function repliesIn(bytes: Buffer): Document[] {
  const replies: Document[] = [];
  for (let at = 0; at + 21 <= bytes.length; at += bytes.readInt32LE(at)) {
    const end = at + bytes.readInt32LE(at);
    if (end > bytes.length) break;
    const start = bytes.readInt32LE(at + 12) === 1 ? 36 : 21;
    replies.push(deserialize(bytes.subarray(at + start, end), { bsonRegExp: true }));
  }
  return replies;
}
