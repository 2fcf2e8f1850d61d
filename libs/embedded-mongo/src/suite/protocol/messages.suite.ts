import { connect, type Socket } from "node:net";
import { BSON, Long, type Document } from "mongodb";
import type { SuiteContext } from "../context.suite.ts";

const message = 2013;
const query = 2004;

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

/** Creates a message with its header. The length may be wrong. */
function framed(operation: number, body: Uint8Array, length = 16 + body.length): Buffer {
  return Buffer.concat([int32(length), int32(77), int32(0), int32(operation), body]);
}

function section(document: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0), document]);
}

const ping: Document = { ping: 1, $db: "admin" };

/** Creates an OP_MSG with one body of these bytes. */
function withBody(body: Uint8Array, flags = 0): Buffer {
  return framed(message, Buffer.concat([int32(flags), section(body)]));
}

/** Creates a ping with one more element of these bytes, in a valid frame. */
function withElement(element: Uint8Array): Buffer {
  const whole = BSON.serialize(ping);
  const body = Buffer.concat([whole.subarray(4, -1), element, Buffer.of(0)]);
  return withBody(Buffer.concat([int32(body.length + 4), body]));
}

/** Creates an element `a` of a type. */
function element(type: number, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(type), Buffer.from("a\0"), value]);
}

function nested(levels: number): Buffer {
  let bytes = Buffer.from([5, 0, 0, 0, 0]);
  for (let level = 0; level < levels; level += 1) {
    bytes = Buffer.concat([int32(bytes.length + 8), Buffer.of(3), Buffer.from("a\0"), bytes, Buffer.of(0)]);
  }
  return bytes;
}

const bad: [string, Buffer][] = [
  ["HTTP", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
  ["a length of 0", framed(message, Buffer.alloc(20), 0)],
  ["a length within the header", framed(message, Buffer.alloc(20), 15)],
  ["a negative length", framed(message, Buffer.alloc(20), -1)],
  ["a length beyond 48 MB", framed(message, Buffer.alloc(20), 49_000_000)],
  ["a length of 2 GB", framed(message, Buffer.alloc(20), 0x7fffffff)],
  ["only a header", framed(message, Buffer.alloc(0))],
  ["an unknown operation", framed(1234, Buffer.alloc(20))],
  ["no section", framed(message, int32(0))],
  ["an unknown kind of section", framed(message, Buffer.concat([int32(0), Buffer.of(9), BSON.serialize(ping)]))],
  ["an unknown flag", withBody(BSON.serialize(ping), 0x40)],
  ["an empty body", withBody(BSON.serialize({}))],
  ["a body longer than the message", withBody(Buffer.concat([int32(500), BSON.serialize(ping).subarray(4)]))],
  ["a body shorter than its fields", withBody(Buffer.concat([int32(12), BSON.serialize(ping).subarray(4)]))],
  ["a body of a negative length", withBody(Buffer.concat([int32(-5), BSON.serialize(ping).subarray(4)]))],
  ["a body without its end", withBody(Buffer.concat([BSON.serialize(ping).subarray(0, -1), Buffer.of(1)]))],
  ["an unknown type", withElement(element(0x20, int32(1)))],
  ["a string beyond its document", withElement(element(2, Buffer.concat([int32(1000), Buffer.from("b\0")])))],
  ["a string of a negative length", withElement(element(2, Buffer.concat([int32(-1), Buffer.from("b\0")])))],
  ["a string without its end", withElement(element(2, Buffer.concat([int32(2), Buffer.from("bc")])))],
  ["a name without its end", withElement(Buffer.concat([Buffer.of(16), Buffer.from("abcdefgh")]))],
  ["binary data of a negative length", withElement(element(5, Buffer.concat([int32(-1), Buffer.of(0)])))],
  ["binary data beyond its document", withElement(element(5, Buffer.concat([int32(1 << 30), Buffer.of(0)])))],
  ["half a number", withElement(element(1, Buffer.alloc(3)))],
  ["a nested document that is longer than the outer one", withElement(element(3, int32(1 << 20)))],
  ["a thousand nested documents", withElement(element(3, nested(1000)))],
  [
    "a list of documents that ends within one",
    framed(
      message,
      Buffer.concat([
        int32(0),
        section(BSON.serialize({ insert: "a", $db: "test" })),
        Buffer.of(1),
        int32(4 + 10 + 8),
        Buffer.from("documents\0"),
        int32(100),
        int32(0),
      ]),
    ),
  ],
];

/**
 * Tests messages as bytes: invalid ones end the connection or are an error, and the server continues. Requires a server that is `reachable`
 * without TLS and credentials.
 */
export function describeMessages(context: SuiteContext, reachable: boolean): void {
  (reachable ? describe : describe.skip)("messages", () => {
    const open = (): Promise<Socket> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(
          context
            .uri()
            .replace(/^mongodb:/, "http:")
            .replace(/,[^/]*/, ""),
        );
        const socket = connect(Number(port || 27017), hostname, () => resolve(socket));
        socket.once("error", reject);
      });
    /** Writes bytes and returns the given number of replies, or fewer if the connection ends. */
    const exchange = async (count: number, ...chunks: Uint8Array[]): Promise<{ to: number; body: Document }[]> => {
      const socket = await open();
      const replies: { to: number; body: Document }[] = [];
      let pending = Buffer.alloc(0);
      const ended = new Promise<void>((resolve, reject) => {
        socket.setTimeout(15_000, () => reject(new Error("timed out")));
        socket.on("error", () => resolve());
        socket.on("close", () => resolve());
        socket.on("data", (chunk: Buffer) => {
          pending = Buffer.concat([pending, chunk]);
          while (pending.length >= 16 && pending.length >= pending.readInt32LE(0)) {
            const reply = pending.subarray(0, pending.readInt32LE(0));
            pending = pending.subarray(reply.length);
            const start = reply.readInt32LE(12) === message ? 21 : 36;
            replies.push({ to: reply.readInt32LE(8), body: BSON.deserialize(reply.subarray(start)) });
          }
          if (replies.length >= count) resolve();
        });
      });
      for (const chunk of chunks) {
        socket.write(chunk);
        if (chunks.length > 1) await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await ended.finally(() => socket.destroy());
      return replies;
    };

    it.each(bad)("are rejected or end the connection: %s", async (_, bytes) => {
      const [reply] = await exchange(1, bytes);
      if (reply !== undefined) expect(reply.body).toMatchObject({ ok: 0, code: expect.any(Number) });
      const [next] = await exchange(1, withBody(BSON.serialize(ping)));
      expect(next?.body).toMatchObject({ ok: 1 });
    });

    it("may arrive in pieces", async () => {
      const whole = withBody(BSON.serialize(ping));
      const replies = await exchange(1, ...Array.from(whole, (byte) => Buffer.of(byte)));
      expect(replies).toEqual([{ to: 77, body: expect.objectContaining({ ok: 1 }) }]);
    });

    it("may arrive together, and are answered in order", async () => {
      const commands: Document[] = [ping, { strange: 1, $db: "admin" }, { hello: 1, $db: "admin" }];
      const replies = await exchange(3, Buffer.concat(commands.map((command) => withBody(BSON.serialize(command)))));
      expect(replies.map(({ body }) => [body["ok"], body["code"] ?? 0, "maxWireVersion" in body])).toEqual([
        [1, 0, false],
        [0, context.code({ real: 59, here: 115, reason: "unsupported" }), false],
        [1, 0, true],
      ]);
    });

    it("of old clients get a reply to hello", async () => {
      const body = Buffer.concat([
        int32(0),
        Buffer.from("admin.$cmd\0"),
        int32(0),
        int32(-1),
        BSON.serialize({ hello: 1 }),
      ]);
      const [reply] = await exchange(1, framed(query, body));
      expect(reply?.body).toMatchObject({ isWritablePrimary: true, ok: 1 });
    });

    it("get no reply if they do not request one", async () => {
      const name = context.things().collectionName;
      const database = context.database().databaseName;
      const insert = { insert: name, documents: [{ _id: 1 }], writeConcern: { w: 0 }, $db: database };
      const bytes = Buffer.concat([withBody(BSON.serialize(insert), 2), withBody(BSON.serialize(ping))]);
      const replies = await exchange(1, bytes);
      expect(replies).toHaveLength(1);
      expect(await context.ids({})).toEqual([1]);
    });

    it("may contain documents in a separate section", async () => {
      const name = context.things().collectionName;
      const documents = Buffer.concat(
        [1, 2, 3].map((_id) => Buffer.from(BSON.serialize({ _id, long: Long.fromNumber(_id) }))),
      );
      const beside = Buffer.concat([
        Buffer.of(1),
        int32(4 + 10 + documents.length),
        Buffer.from("documents\0"),
        documents,
      ]);
      const body = BSON.serialize({ insert: name, $db: context.database().databaseName });
      const [reply] = await exchange(1, framed(message, Buffer.concat([int32(0), beside, section(body)])));
      expect(reply?.body).toMatchObject({ n: 3, ok: 1 });
      expect(await context.ids({})).toEqual([1, 2, 3]);
    });

    it("have no effect if they are incomplete", async () => {
      const name = context.things().collectionName;
      const insert = { insert: name, documents: [{ _id: 1 }], $db: context.database().databaseName };
      const whole = withBody(BSON.serialize(insert));
      for (const length of [1, 15, 16, 20, whole.length - 1]) {
        const socket = await open();
        const closed = new Promise((resolve) => socket.once("close", resolve));
        socket.end(whole.subarray(0, length));
        socket.resume();
        await closed;
      }
      expect(await context.things().countDocuments()).toBe(0);
    });
  });
}
