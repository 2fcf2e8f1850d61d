import { getOption, ScalarType } from "@bufbuild/protobuf";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { rule } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import fc from "fast-check";

/** Texts that often reveal faults in the handling of strings. */
export const hostileTexts: readonly string[] = [
  ...["", " ", "\t\n", "\u0000", "a\u0000b", "\u0001", "\u007f", "\u0085", "\u2028", "\ufeff", "\ufffe", "\u200b"],
  ...["\ud800", "\udfff", "a\udc00b", "😀", "e\u0301", "\u202eabc", "ﬀ", "İ", "ß", "\u{10ffff}"],
  ...["null", "undefined", "true", "0", "-1", "1e999", "NaN", "Infinity", "0x10", "{}", "[]", '"', "\\", "'"],
  ...["$ne", "$where", "a.b", "__proto__", "constructor", "toString", "hasOwnProperty", "length"],
  ...["../..", "..", ".", "/", "a/b", "a:b", ":makeGlobal", "*", "**", "%", "%00", "%2f", "?", "#", ";", "a&b=c"],
  ...["\r\nx-injected: 1", "<script>", "${7*7}", "'; --", "C:\\con", "(?:a+)+$"],
  ...[
    "2026-02-31T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "0001-01-01T00:00:00Z",
    "2026-01-31",
    "1970-01-01T00:00:00+14:00",
  ],
  ...[
    "x".repeat(120),
    "x".repeat(121),
    "😀".repeat(120),
    "x".repeat(2_001),
    "e\u0301".repeat(5_000),
    "\u0000".repeat(300),
  ],
];

/** Numbers at the bounds of types. */
export const boundaryNumbers: readonly number[] = [
  ...[0, -0, 1, -1, 0.5, 1.5, -0.000_1, 1.000_000_1, 100, 101, 500, 501, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1],
  ...[2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 63, 2 ** 64, 1e21, 1e308, -1e308, 5e-324],
];

/** Marks a text that is written into JSON without quotes, such as `1e400`. */
export const rawMark = "raw\ue000";
const rawTokens = [
  "1e400",
  "-1e400",
  "01",
  "+1",
  ".5",
  "1.",
  "NaN",
  "Infinity",
  "0x10",
  "-",
  "tru",
  "'a'",
  "1_0",
  "\\u0031",
];

const nested = (depth: number, inner: unknown): unknown =>
  Array.from({ length: depth }).reduce((value, _, index) => (index % 2 === 0 ? [value] : { a: value }), inner);

/** Values of the wrong type for almost every field. */
const oddValues: readonly unknown[] = [
  ...[null, true, false, [], {}, [[]], [null], [{}], { $gt: "" }, { "": "" }, { value: 1 }, ["x", "x"]],
  ...[nested(60, 1), nested(300, "x"), Array.from({ length: 600 }, (_, index) => index)],
];

/** Creates the IDs, texts, numbers and other values that are tried in any place. `ids` are IDs of all kinds. */
export function hostileValue(ids: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
    { weight: 2, arbitrary: fc.constantFrom(...boundaryNumbers) },
    { weight: 2, arbitrary: fc.constantFrom(...oddValues) },
    { weight: 2, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.constantFrom(...rawTokens).map((token) => `${rawMark}${token}`) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 1, arbitrary: fc.double() },
  );
}

/** Creates values of the type of a field, within and around the bounds of its rule. */
export function plausibleValue(field: DescField, ids: readonly string[], depth = 0): fc.Arbitrary<unknown> {
  const one = plausibleElement(field, ids, depth);
  switch (field.fieldKind) {
    case "list": {
      const { maxItems } = getOption(field, rule);
      const usual = fc.array(one, { maxLength: 3 });
      if (maxItems === 0 || maxItems > 500) return usual;
      const many = one.chain((element) =>
        fc.constantFrom(maxItems, maxItems + 1).map((length) => Array.from({ length }, () => element)),
      );
      return fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: many });
    }
    case "map":
      return fc.dictionary(fc.constantFrom("total", "a", "__proto__", "", "$x", "a.b", "é"), one, { maxKeys: 3 });
    default:
      return one;
  }
}

function plausibleElement(field: DescField, ids: readonly string[], depth: number): fc.Arbitrary<unknown> {
  if (field.message !== undefined) return plausibleMessageValue(field.message, ids, depth);
  if (field.enum !== undefined) {
    const names = field.enum.values.map(({ name }) => name);
    const shared = field.enum.sharedPrefix?.toUpperCase() ?? "";
    return fc.constantFrom(...names, ...names.map((name) => name.replace(shared, "")), "NONE", "active", 0, 1);
  }
  const { minimum, maximum, maxLength, oneOf } = getOption(field, rule);
  switch (field.scalar) {
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.constantFrom(
        "",
        "YQ==",
        "YQ",
        "YQ=",
        "Y Q==",
        "-_-_",
        "%PDF",
        Buffer.from("%PDF-1.7").toString("base64"),
      );
    case ScalarType.STRING: {
      const longest = maxLength > 0 && maxLength <= 20_000 ? ["x".repeat(maxLength), "x".repeat(maxLength + 1)] : [];
      const texts = [
        "Name",
        "total",
        "TEXT",
        "NUMBER",
        "ORGANIZATION",
        "PROJECT",
        "classify",
        "models:read",
        ...oneOf,
        ...longest,
      ];
      const idFirst = /_ids?$/.test(field.name) ? 4 : 1;
      return fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...texts) },
        { weight: idFirst, arbitrary: fc.constantFrom(...ids) },
        { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
      );
    }
    default: {
      const bounds = [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound, bound - 1, bound + 1]));
      return fc.constantFrom(0, 1, 2, 0.5, ...bounds);
    }
  }
}

function plausibleMessageValue(message: DescMessage, ids: readonly string[], depth: number): fc.Arbitrary<unknown> {
  switch (message.typeName) {
    case "google.protobuf.Timestamp":
      return fc.constantFrom(
        "2026-01-31T12:00:00Z",
        "2030-01-31T12:00:00.123456789+01:00",
        "1700-01-01T00:00:00Z",
        "soon",
      );
    case "google.protobuf.Value":
      return fc.oneof(fc.constantFrom(12.5, "2026-01-31", true, null, "x"), fc.jsonValue({ maxDepth: 3 }));
    default:
      return depth > 3 ? fc.constant({}) : plausibleMessage(message.fields, ids, depth + 1);
  }
}

/** Creates an object with some of these fields, by their REST names. */
export function plausibleMessage(
  fields: readonly DescField[],
  ids: readonly string[],
  depth = 0,
): fc.Arbitrary<object> {
  const members = fields.map((field) => [field.jsonName, plausibleValue(field, ids, depth)] as const);
  const requiredKeys = fields.filter((field) => getOption(field, rule).required).map(({ jsonName }) => jsonName);
  return fc.record(Object.fromEntries(members), { requiredKeys });
}
