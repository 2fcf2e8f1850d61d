import { Buffer } from "node:buffer";
import { Binary, Double, Int32, Long, ObjectId } from "bson";
import fc from "fast-check";
import { encodeValue, invertBytes, isSameValue, getSuccessor } from "./key-encoding.ts";
import { getKind, ranks, type Document } from "./values.ts";

const longs = [
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 62n,
  2n ** 62n + 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  -(2n ** 53n) - 1n,
];

const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, false),
  fc.integer().map((value) => new Int32(value)),
  fc.integer({ min: -3, max: 3 }).map((value) => new Double(value)),
  fc.double().map((value) => new Double(value)),
  fc.constantFrom(2 ** 53, 2 ** 53 + 2, 2 ** 62, 2 ** 63, -(2 ** 63)).map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.constantFrom(...longs).map((value) => Long.fromBigInt(value)),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.constantFrom("", "\0", "a", "a\0", "a\0b", "\uFFFD", "\u{1F600}", "\uD7FF"),
  fc.uint8Array({ maxLength: 3 }).map((bytes) => new Binary(bytes)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.date({ noInvalidDate: true }),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom("a", "b", "ab", ""), tie("value"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    },
  ),
}));

/** Compares values in the order of MongoDB's manual ("Comparison/Sort Order"), with numbers as exact fractions. */
function order(left: unknown, right: unknown): number {
  const [kind, byKind] = [getKind(left), ranks[getKind(left)] - ranks[getKind(right)]];
  if (byKind !== 0) return byKind;
  const [a, b] = [left, right].map(getParts) as [unknown[], unknown[]];
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [x, y] = [a[at], b[at]];
    const plain = kind === "array" || (kind === "object" && at % 3 === 2);
    const difference = plain ? order(x, y) : (x as number) < (y as number) ? -1 : (x as number) > (y as number) ? 1 : 0;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function getParts(value: unknown): unknown[] {
  const codePoints = (text: string): string => Buffer.from(text).toString("latin1");
  switch (getKind(value)) {
    case "number": {
      const { value: number = undefined } = value as { value?: number };
      if (number === undefined) return [0, BigInt(String(value))];
      return Number.isNaN(number) ? [-1] : [0, Number.isInteger(number) ? BigInt(number) : number];
    }
    case "string":
      return [codePoints(value as string)];
    case "object":
      return Object.entries(value as Document).flatMap(([name, each]) => [
        ranks[getKind(each)],
        codePoints(name),
        each,
      ]);
    case "array":
      return value as unknown[];
    case "binary":
      return [(value as Binary).position, (value as Binary).sub_type, (value as Binary).toString("hex")];
    case "objectId":
      return [(value as ObjectId).toHexString()];
    case "boolean":
    case "date":
      return [Number(value)];
    default:
      return [];
  }
}

describe("encodeValue", () => {
  it("has the order of MongoDB's manual", () => {
    fc.assert(
      fc.property(value, value, (left, right) => {
        const expected = Math.sign(order(left, right));
        expect(Buffer.compare(encodeValue(left), encodeValue(right))).toBe(expected);
        expect(isSameValue(left, right)).toBe(expected === 0);
      }),
      { numRuns: 5000 },
    );
  });

  it("keeps the order in compound keys, and reverses it if inverted", () => {
    fc.assert(
      fc.property(value, value, value, value, (a, b, c, d) => {
        const expected = Math.sign(order(a, c) || order(d, b));
        const [left, right] = [
          [a, b],
          [c, d],
        ].map(([first, second]) => Buffer.concat([encodeValue(first), invertBytes(encodeValue(second))]));
        expect(Buffer.compare(left as Buffer, right as Buffer)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it("is never a prefix of another value's encoding", () => {
    fc.assert(
      fc.property(value, value, (left, right) => {
        const [a, b] = [encodeValue(left), encodeValue(right)];
        expect(b.subarray(0, a.length).equals(a)).toBe(isSameValue(left, right));
        expect(Buffer.compare(a, getSuccessor(a))).toBe(-1);
      }),
      { numRuns: 3000 },
    );
  });
});
