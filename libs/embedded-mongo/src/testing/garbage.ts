import {
  BSONRegExp,
  BSONSymbol,
  Binary,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  serialize,
  type Document,
} from "bson";
import { db, goodCommands, lsid } from "./good-commands.ts";
import { message, nested, section, sequence } from "./messages.ts";
import { createRandom } from "./random.ts";

/** A bad connection: the pieces that are written to it. */
export interface BadCase {
  /** A description of the bad part, for the message of a failure. */
  name: string;
  pieces: Uint8Array[];
}

const oddNames = [
  "",
  "$",
  "$set",
  "a.b",
  "a..b",
  ".",
  "__proto__",
  "constructor",
  "toString",
  "0",
  "a.$",
  "$[]",
  "$[x].a",
];
const words = [
  "$and",
  "$or",
  "$not",
  "$in",
  "$gt",
  "$elemMatch",
  "$exists",
  "$eq",
  "$each",
  "$push",
  "$unset",
  "$inc",
  "_id",
];
const oddLengths = [-(2 ** 31), -1, 0, 1, 4, 5, 15, 16, 17, 255, 65_536, 16_777_216, 48_000_001, 2 ** 31 - 1];

/** Creates a generator of bad connections, always the same ones for a seed. */
export function createGarbage(seed: number): () => BadCase {
  const random = createRandom(seed);
  const upTo = (count: number): number => Math.floor(random() * count);
  const one = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => upTo(256)));

  const scalars: (() => unknown)[] = [
    () => new Int32(one([0, 1, -1, 100, 2 ** 31 - 1, -(2 ** 31)])),
    () => new Double(one([0.5, -0, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 2 ** 53, 3])),
    () => one([Long.MAX_VALUE, Long.MIN_VALUE, Long.fromNumber(2 ** 40)]),
    () => one(["", "text", "$a", "$$ROOT", "*", "things", "\u0000", "a".repeat(2000), "1"]),
    () => one<unknown>([true, false, null, undefined, new MinKey(), new MaxKey(), new Timestamp({ t: 1, i: 2 })]),
    () => new Date(one([0, 8.64e15, -8.64e15])),
    () => one([new ObjectId(), new Binary(bytes(upTo(20)), upTo(256)), Decimal128.fromString("1E+6000")]),
    () =>
      one([new BSONRegExp("(a+", "i"), new BSONRegExp("a", "imsx"), new Code("while(1);"), new Code("1", { a: 1 })]),
    () => one<unknown>([new BSONSymbol("a"), new DBRef("things", new ObjectId()), lsid]),
  ];
  const name = (): string => one([one(oddNames), one(words), "a", "b", "things"]);
  function value(depth: number): unknown {
    if (depth > 3 || random() < 0.5) return one(scalars)();
    const children = Array.from({ length: upTo(4) }, () => [name(), value(depth + 1)] as const);
    return random() < 0.4 ? children.map(([, child]) => child) : Object.fromEntries(children);
  }

  /** Returns the command with another value somewhere in it. */
  function distort(document: Document): Document {
    let copy: Document = Object.fromEntries(Object.entries(document));
    const field = one(Object.keys(copy));
    const inner: unknown = copy[field];
    // An assignment would not create a field named __proto__.
    if (random() < 0.1) copy = { ...copy, ...Object.fromEntries([[name(), value(0)]]) };
    if (Array.isArray(inner) && inner.length > 0 && random() < 0.8) {
      const at = upTo(inner.length);
      const element: unknown = inner[at];
      copy[field] = inner.with(at, isPlain(element) ? distort(element) : value(0));
    } else copy[field] = isPlain(inner) && random() < 0.8 ? distort(inner) : value(0);
    return copy;
  }

  function mutated(valid: Buffer): Buffer {
    const copy = Buffer.from(valid);
    for (let times = 1 + upTo(4); times > 0; times--) {
      const at = 20 + upTo(copy.length - 20);
      if (random() < 0.7) copy[at] = random() < 0.5 ? (copy[at] as number) ^ (1 << upTo(8)) : upTo(256);
      else if (at + 4 <= copy.length) copy.writeInt32LE(one(oddLengths) | 0, at);
    }
    return copy;
  }

  const good = (): Buffer => section(one(goodCommands));
  const statements = (): Uint8Array[] => Array.from({ length: 1 + upTo(3) }, () => serialize({ a: 1 }));
  const element = (type: number, content: Uint8Array): Buffer => {
    const inner = Buffer.concat([Buffer.of(type, 0x61, 0), content]);
    const document = Buffer.concat([Buffer.alloc(4), inner, Buffer.of(0)]);
    document.writeInt32LE(document.length);
    return document;
  };
  const inInsert = (document: Buffer): Buffer =>
    Buffer.concat([section({ insert: "things", ...db }), sequence("documents", [document])]);
  const lengthAnd = (length: number, rest: Uint8Array): Buffer => {
    const head = Buffer.alloc(4);
    head.writeInt32LE(length | 0);
    return Buffer.concat([head, rest]);
  };
  const manyLevels = (): number => one([10, 99, 150, 199, 201, 400, 3000, 20_000, 200_000]);
  const chain = (levels: number, link: (inner: unknown) => unknown): unknown => {
    let result: unknown = { a: 1 };
    for (let level = 0; level < levels; level++) result = link(result);
    return result;
  };
  const links: ((inner: unknown) => unknown)[] = [
    (inner) => ({ $and: [inner] }),
    (inner) => ({ $or: [inner, { b: 1 }] }),
    (inner) => ({ a: { $not: { $gt: inner } } }),
    (inner) => ({ a: { $elemMatch: inner } }),
    (inner) => ({ a: { $not: { $elemMatch: inner } } }),
    (inner) => ({ a: inner }),
  ];

  const kinds: [string, () => Uint8Array[]][] = [
    ["random bytes", () => [bytes(1 + upTo(500))]],
    ["a random body", () => [message(bytes(upTo(200)))]],
    ["an incomplete message", () => [message(good()).subarray(0, 1 + upTo(60))]],
    ["a wrong length", () => [message(good(), { length: one(oddLengths) })]],
    [
      "an unknown operation",
      () => [
        message(good(), {
          operation: one([0, 1, 2001, 2004, 2010, 2012, 2 ** 31 - 1, -1]),
        }),
      ],
    ],
    ["unknown flags", () => [message(good(), { flags: upTo(2 ** 32) })]],
    ["a random kind of section", () => [message(Buffer.concat([good(), Buffer.of(upTo(256)), bytes(upTo(30))]))]],
    ["two bodies", () => [message(Buffer.concat([good(), good()]))]],
    [
      "a sequence of a wrong size",
      () => [
        message(
          Buffer.concat([section({ insert: "things", ...db }), sequence("documents", statements(), one(oddLengths))]),
        ),
      ],
    ],
    [
      "a document of a wrong size",
      () => [message(inInsert(lengthAnd(one(oddLengths), serialize({ a: 1 }).subarray(4))))],
    ],
    [
      "a string of a wrong size",
      () => [message(inInsert(element(2, lengthAnd(one(oddLengths), Buffer.from("text\0")))))],
    ],
    ["an array of a wrong size", () => [message(inInsert(element(4, lengthAnd(one(oddLengths), bytes(12)))))]],
    ["binary of a wrong size", () => [message(inInsert(element(5, lengthAnd(one(oddLengths), bytes(9)))))]],
    ["invalid UTF-8", () => [message(inInsert(element(2, lengthAnd(5, Buffer.concat([bytes(4), Buffer.of(0)])))))]],
    ["an unknown type", () => [message(inInsert(element(upTo(256), bytes(upTo(20)))))]],
    ["no terminator", () => [message(inInsert(Buffer.concat([serialize({ a: "b" }).subarray(0, -1), Buffer.of(1)])))]],
    ["deep nesting in a document", () => [message(inInsert(nested(manyLevels(), one([3, 4]))))]],
    ["deep nesting as a command", () => [message(Buffer.concat([Buffer.of(0), nested(manyLevels(), 3)]))]],
    [
      "a deep filter",
      () => [
        message(
          section({
            find: "things",
            filter: chain(1 + upTo(90), one(links)) as Document,
            ...db,
          }),
        ),
      ],
    ],
    ["mutated bytes", () => [mutated(message(good()))]],
    ["mutated bytes again", () => [mutated(message(good()))]],
    ["values of other types", () => [message(section(distort(one(goodCommands))))]],
    ["values of other types again", () => [message(section(distort(distort(one(goodCommands)))))]],
    [
      "fields in another order",
      () => [message(section(Object.fromEntries(Object.entries(one(goodCommands)).reverse())))],
    ],
    [
      "many messages in small pieces",
      () => inPieces(Buffer.concat([message(good()), mutated(message(good())), message(good())])),
    ],
  ];
  const inPieces = (whole: Buffer): Uint8Array[] => {
    const size = 1 + upTo(40);
    return Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.subarray(at * size, (at + 1) * size),
    );
  };

  return () => {
    const [kind, make] = one(kinds);
    return { name: kind, pieces: make() };
  };
}

function isPlain(value: unknown): value is Document {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
