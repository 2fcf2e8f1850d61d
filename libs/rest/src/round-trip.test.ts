import { create, equals, ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import {
  FeatureSet_FieldPresence,
  ListValueSchema,
  StructSchema,
  TimestampSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import {
  ClassificationSchema,
  ClassifierDetailSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import {
  ConfigurationSchema,
  CreateModelRequestSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import fc, { type Arbitrary } from "fast-check";
import { createBodyReaders } from "./requests/body.ts";
import { createReadingContext, isObject } from "./requests/reading.ts";
import { integerBounds, setField, setOwn } from "./field-names.ts";
import { parseJson } from "./requests/json-text.ts";
import { createWellKnownReader } from "./requests/well-known.ts";
import { createJsonWriters } from "./responses/writer.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const key = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "", "a.b", 'quo"te'));

/** Creates an arbitrary message of a type, with milliseconds in timestamps, finite numbers, and enum values with names. */
function anyMessage(descriptor: DescMessage): Arbitrary<Message> {
  if (descriptor.typeName === TimestampSchema.typeName)
    return fc
      .integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
      .map((ms) =>
        create(TimestampSchema, { seconds: BigInt(Math.floor(ms / 1000)), nanos: (((ms % 1000) + 1000) % 1000) * 1e6 }),
      );
  if (descriptor.typeName === ValueSchema.typeName)
    return fc.jsonValue({ maxDepth: 3 }).map((value) => {
      const parsed = parseJson(JSON.stringify(value));
      const read = createWellKnownReader(ValueSchema);
      const context = createReadingContext(false);
      return (parsed.ok ? read?.(parsed.value, "", context) : undefined) as Message;
    });
  const fields = descriptor.fields.map((field) => anyField(field).map((value) => ({ field, value })));
  return fc.tuple(...fields).map((values) => {
    const message = create(descriptor);
    for (const { field, value } of values) if (value !== undefined) setField(message, field, value);
    return message;
  });
}

function anyField(field: DescField): Arbitrary<unknown> {
  switch (field.fieldKind) {
    case "list":
      return fc.array(anyElement(field, field.listKind), { maxLength: 3 });
    case "map":
      return fc.array(fc.tuple(key, anyElement(field, field.mapKind)), { maxLength: 3 }).map((entries) => {
        const map = {};
        for (const [name, value] of entries) setOwn(map, name, value);
        return map;
      });
    default: {
      const value = anyElement(field, field.fieldKind);
      return hasPresence(field) ? fc.option(value, { nil: undefined }) : value;
    }
  }
}

function anyElement(field: DescField, kind: "scalar" | "enum" | "message"): Arbitrary<unknown> {
  if (kind === "message" && field.message !== undefined) return anyMessage(field.message);
  if (kind === "enum") {
    const numbers = (field.enum?.values ?? []).map(({ number }) => number);
    // With presence, the unspecified value prints as null, which is read as absent.
    return fc.constantFrom(...numbers.filter((number) => number !== 0 || !hasPresence(field)));
  }
  const type = field.scalar ?? ScalarType.STRING;
  const bounds = integerBounds(type);
  if (bounds !== undefined) return fc.integer({ min: bounds.low, max: bounds.high });
  if (type === ScalarType.BOOL) return fc.boolean();
  if (type === ScalarType.BYTES) return fc.uint8Array({ maxLength: 9 });
  // -0 prints as 0.
  if (type === ScalarType.DOUBLE) return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  return text;
}

const hasPresence = (field: DescField): boolean => field.presence === FeatureSet_FieldPresence.EXPLICIT;

const schemas: readonly DescMessage[] = [
  ConfigurationSchema,
  CreateModelRequestSchema,
  ClassifierDetailSchema,
  ClassificationSchema,
  ExtractionSchema,
];

describe.each(schemas.map((schema) => [schema.typeName, schema] as const))("%s", (_name, schema) => {
  it("is unchanged after conversion to JSON and back, and its JSON has every field", () => {
    const write = createJsonWriters().message(schema);
    const read = createBodyReaders().message(schema);
    fc.assert(
      fc.property(anyMessage(schema), (message) => {
        const printed = write(message);
        expect(Object.keys(JSON.parse(printed) as object)).toEqual(schema.fields.map(({ jsonName }) => jsonName));
        const parsed = parseJson(printed);
        const context = createReadingContext(false);
        const again = create(schema);
        if (parsed.ok && isObject(parsed.value)) read(parsed.value, "", context, again);
        expect(context.violations).toEqual([]);
        expect(equals(schema, again, message)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("can be read from any JSON object without an exception", () => {
    const read = createBodyReaders().message(schema);
    const names = fc.constantFrom(...schema.fields.map(({ jsonName }) => jsonName), "__proto__", "x");
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), fc.boolean(), (object, patch) => {
        const parsed = parseJson(JSON.stringify(object));
        const context = createReadingContext(patch);
        if (parsed.ok && isObject(parsed.value)) read(parsed.value, "", context, create(schema));
        for (const { field, message } of context.violations)
          expect([typeof field, message.length > 0]).toEqual(["string", true]);
        if (Object.hasOwn(object, "x")) expect(context.violations.map(({ field }) => field)).toContain("x");
      }),
      { numRuns: 200 },
    );
  });
});

it("maps and structs keep keys such as __proto__", () => {
  const { fields } = ExtractionSchema;
  expect(fields.map(({ name }) => name)).toContain("tables");
  const body =
    '{"tables":[{"rows":[{"values":{"__proto__":{"__proto__":[1]},"a":null},"confidence":{"__proto__":1}}]}]}';
  const parsed = parseJson(body);
  const message = create(ExtractionSchema);
  const context = createReadingContext(false);
  if (parsed.ok && isObject(parsed.value))
    createBodyReaders().message(ExtractionSchema)(parsed.value, "", context, message);
  const row = message.tables[0]?.rows[0];
  expect(Object.keys(row?.values ?? {})).toEqual(["__proto__", "a"]);
  expect(Object.getPrototypeOf(row?.values)).toBe(Object.prototype);
  expect(createJsonWriters().message(ExtractionSchema)(message)).toContain(
    '"values":{"__proto__":{"__proto__":[1]},"a":null},"confidence":{"__proto__":1},"evidence":{}',
  );
  expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
});

it("structs and lists of google.protobuf are read from JSON", () => {
  const context = createReadingContext(false);
  const struct = createWellKnownReader(StructSchema);
  expect(struct?.(new Map([["a", [1, null]]]), "s", context)).toEqual({ a: [1, null] });
  expect(struct?.("x", "s", context)).toBeUndefined();
  expect(createWellKnownReader(ListValueSchema)?.("x", "l", context)).toBeUndefined();
  expect(context.violations.map(({ field }) => field)).toEqual(["s", "l"]);
});
