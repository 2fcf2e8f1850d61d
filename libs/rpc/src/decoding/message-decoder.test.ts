import { create, fromBinary, ScalarType, toBinary } from "@bufbuild/protobuf";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { HttpBodySchema } from "@switchyard/contracts/google/api/httpbody";
import { listDescriptors } from "@switchyard/contracts/testing";
import { createMessageDecoder } from "./message-decoder.ts";

const seed = Math.floor(Math.random() * 2 ** 32);
let state = seed;
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const integers = [0, 1, 127, 128, 300, 2 ** 31 - 1, -1, -(2 ** 31)];
const texts = ["", "id", "Größe 😀", "\ufeffx", "a \ufffd", "x".repeat(300)];

function choose<T>(values: readonly T[]): T {
  return values[random(values.length)] as T;
}

function createScalar(type: ScalarType): unknown {
  switch (type) {
    case ScalarType.STRING:
      return choose(texts);
    case ScalarType.BYTES:
      return Uint8Array.from({ length: random(5) }, () => random(256));
    case ScalarType.BOOL:
      return random(2) === 1;
    case ScalarType.INT32:
      return choose(integers);
    case ScalarType.INT64:
      return BigInt(choose([...integers, 2 ** 35 - 1, 2 ** 35, -(2 ** 50)]));
    case ScalarType.DOUBLE:
      return choose([0, -0, 1.5, -1e300, Infinity]);
    default:
      return random(2 ** 31);
  }
}

function createValue(field: DescField, depth: number): unknown {
  if (field.message !== undefined) return createInit(field.message, depth + 1);
  if (field.enum !== undefined) return choose([...field.enum.values.map(({ number }) => number), 99, -1]);
  return createScalar(field.scalar);
}

/** Returns random values for the fields of a message, except for those whose type is JSON or a wrapper. */
function createInit(type: DescMessage, depth: number): Record<string, unknown> {
  const init: Record<string, unknown> = {};
  for (const field of type.fields) {
    const isJson = /^google\.protobuf\.(Struct|ListValue|Value|\w+Value)$/.test(field.message?.typeName ?? "");
    if (isJson || depth > 4 || random(3) === 0) continue;
    const value = () => createValue(field, depth);
    if (field.fieldKind === "list") init[field.localName] = Array.from({ length: random(3) }, value);
    else if (field.fieldKind === "map") init[field.localName] = { [choose(["a", "__proto__"])]: value() };
    else if (field.oneof !== undefined) init[field.oneof.localName] = { case: field.localName, value: value() };
    else init[field.localName] = value();
  }
  return init;
}

/** Damages bytes: removes, adds, repeats or changes some of them. */
function damage(bytes: Uint8Array): Uint8Array {
  const at = random(bytes.length + 1);
  const rest = bytes.subarray(at);
  const changed = rest.map((byte, index) => (index === 0 ? byte ^ (1 << random(8)) : byte));
  const added = Uint8Array.from({ length: 1 + random(3) }, () => random(256));
  const tail = choose([[rest.subarray(1)], [added, rest], [rest, rest], [changed], []]);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, at), ...tail]));
}

function getOutcome(decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    return String(error);
  }
}

describe("createMessageDecoder", () => {
  it("decodes like protobuf-es, whatever the bytes are: random messages of all types, including damaged ones", async () => {
    const decode = createMessageDecoder();
    for (const type of await listDescriptors("message")) {
      for (let round = 0; round < 20; round++) {
        const message = create(type, createInit(type, 0));
        const bytes = new Uint8Array(toBinary(type, message));
        for (const each of [bytes, damage(bytes), damage(damage(bytes))]) {
          const expected = getOutcome(() => fromBinary(type, each));
          const hint = `seed ${seed}, ${type.typeName}: ${Buffer.from(each).toString("hex")}`;
          expect(
            getOutcome(() => decode(type, each)),
            hint,
          ).toStrictEqual(expected);
        }
      }
    }
  });

  it("decodes bytes like protobuf-es: as a view, which is a Buffer if the message is one", () => {
    const message = create(HttpBodySchema, { data: Uint8Array.of(1, 2, 3) });
    const encoded = toBinary(HttpBodySchema, message);
    for (const bytes of [new Uint8Array(encoded), Buffer.from(encoded)]) {
      const decoded = createMessageDecoder()(HttpBodySchema, bytes);
      expect(decoded).toStrictEqual(fromBinary(HttpBodySchema, bytes));
      expect((decoded as typeof message).data.buffer).toBe(bytes.buffer);
    }
  });

  it("gives each message lists and bytes of its own", async () => {
    const decode = createMessageDecoder();
    for (const type of await listDescriptors("message")) {
      const [one, other] = [1, 2].map(() => Object.values(decode(type, new Uint8Array())));
      for (const [index, value] of (one ?? []).entries()) {
        if (typeof value === "object") expect(value).not.toBe(other?.[index]);
      }
    }
  });
});
