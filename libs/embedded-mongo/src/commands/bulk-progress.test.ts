import { Binary, deserialize, Int32, Long, type Document } from "bson";
import { Engine } from "../engine.ts";
import { createCursors } from "../sessions/cursors.ts";
import { openSessions } from "../sessions/sessions.ts";
import type { Server } from "./command.ts";
import { dispatch } from "./dispatcher.ts";

const lsid = { id: new Binary(Buffer.alloc(16, 7), 4) };

/** A store in memory whose commands pause wherever they can. */
function createServer(): Server {
  const engine = new Engine(":memory:", undefined, 0);
  return { engine, sessions: openSessions(engine), cursors: createCursors(), address: () => "" };
}

/** Runs a command, and commits at each pause. It is abandoned after `maxPauses` pauses. Returns the reply, and how much was written. */
function send(server: Server, command: Document, maxPauses = Infinity): { reply: Document | undefined; bytes: number } {
  const { sqlite, timeSlices } = server.engine;
  const steps = dispatch(server, 1, { ...command, $db: "test" }, () => false);
  let bytes = 0;
  for (let pauses = 0; pauses <= maxPauses; pauses += 1) {
    const step = timeSlices.run(() =>
      sqlite.unit(() => {
        const reached = steps.next();
        bytes += sqlite.uncommittedBytes;
        return reached;
      }),
    );
    if (step.done === true) return { reply: deserialize(step.value), bytes };
  }
  steps.return(new Uint8Array());
  return { reply: undefined, bytes };
}

const upserts = (count: number, txnNumber: number): Document => ({
  ...{ update: `things${txnNumber}`, lsid, txnNumber: Long.fromNumber(txnNumber), ordered: false },
  updates: Array.from({ length: count }, (_, n) => ({
    // Every third one violates the unique key of an earlier one.
    ...{ q: { _id: new Int32(n) }, u: { $set: { key: new Int32(n % 3 === 2 ? 0 : n) } }, upsert: true },
  })),
});

const unique = (txnNumber: number): Document => ({
  ...{ createIndexes: `things${txnNumber}`, indexes: [{ key: { key: new Int32(1) }, name: "key_1", unique: true }] },
});

const countRows = ({ engine }: Server): unknown =>
  engine.sqlite.statement("SELECT count(*) AS rows FROM sessions").get()?.["rows"];

describe("a numbered bulk write that pauses", () => {
  it("stores each detail of its reply once, however many pauses follow", () => {
    const server = createServer();
    const [small, large] = [200, 800].map((count) => {
      send(server, unique(count));
      return send(server, upserts(count, count)).bytes;
    }) as [number, number];
    expect(large).toBeLessThan(4.5 * small);
  });

  it("continues with the details of what was done before, and leaves none of them behind", () => {
    const server = createServer();
    send(server, unique(1));
    for (const pauses of [50, 70, 1, 0]) expect(send(server, upserts(300, 1), pauses).reply).toBeUndefined();
    const { reply } = send(server, upserts(300, 1));
    const indexes = Array.from({ length: 300 }, (_, index) => index);
    expect(reply).toMatchObject({ ok: 1, n: 200, nModified: 0 });
    expect(reply?.["upserted"]).toEqual(indexes.filter((n) => n % 3 !== 2).map((index) => ({ index, _id: index })));
    expect(reply?.["writeErrors"].map(({ index, code }: Document) => [index, code])).toEqual(
      indexes.filter((n) => n % 3 === 2).map((index) => [index, 11000]),
    );
    expect(send(server, upserts(300, 1)).reply).toEqual(reply);
    expect(countRows(server)).toBe(1);
  });

  it("leaves no details behind if the next write of its session comes first, or the end of the session", () => {
    const server = createServer();
    for (const end of [upserts(1, 2), { endSessions: [lsid] }]) {
      send(server, unique(1));
      send(server, upserts(300, 1), 50);
      expect(countRows(server)).toBeGreaterThan(2);
      send(server, end);
      expect(countRows(server)).toBe("update" in end ? 1 : 0);
      send(server, { endSessions: [lsid] });
      send(server, { drop: "things1" });
    }
  });
});

describe("the errors of a bulk write", () => {
  const duplicates = (key: string, count: number): Document => ({
    ...{ insert: "things", ordered: false },
    documents: Array.from({ length: count }, (_, n) => ({ _id: new Int32(n), key })),
  });

  it.each([
    { name: "many keys", length: 6_000, count: 1_600, details: 600 },
    { name: "some very long keys", length: 1_000_000, count: 40, details: 8 },
  ])("fit in a reply with $name, though not all of them with their details", ({ length, count, details }) => {
    const server = createServer();
    send(server, { createIndexes: "things", indexes: [{ key: { key: new Int32(1) }, name: "key_1", unique: true }] });
    const { reply } = send(server, duplicates("a".repeat(length), count));
    expect(reply).toMatchObject({ ok: 1, n: 1 });
    const errors = reply?.["writeErrors"] as Document[];
    expect(errors.map(({ index, code }) => [index, code])).toEqual(
      Array.from({ length: count - 1 }, (_, at) => [at + 1, 11000]),
    );
    expect(errors[0]?.["errmsg"]).toMatch(/^E11000 duplicate key/);
    const complete = errors.filter(({ keyValue }) => keyValue !== undefined);
    expect(complete.length).toBeGreaterThanOrEqual(details);
    expect(errors.slice(0, complete.length)).toEqual(complete);
    expect(errors.slice(complete.length).every(({ errmsg }) => errmsg === "")).toBe(true);
  });
});
