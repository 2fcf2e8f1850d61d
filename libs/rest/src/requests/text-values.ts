import { create, ScalarType, type DescField } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { parseTimestamp } from "@switchyard/text";
import { assertNot64Bit, createEnumNames, integerBounds, isValidNumber } from "../field-names.ts";

/** Reads the text of a path segment, query parameter or form part as the value of a field. The error message states what was expected. */
export type TextReader = (
  text: string,
) => { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

const integer = /^-?(?:0|[1-9]\d*)$/;
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const surrogate = /\p{Cs}/u;

/**
 * Compiles the reader of a singular scalar, enum or Timestamp field.
 * @returns undefined for fields without a text form: messages, lists, maps, bytes
 * @throws ContractError for a 64-bit integer
 */
export function createTextReader(field: DescField): TextReader | undefined {
  if (field.fieldKind === "enum") return enumReader(field);
  if (field.fieldKind === "message" && field.message.typeName === TimestampSchema.typeName) return readTimestamp;
  if (field.fieldKind !== "scalar") return undefined;
  assertNot64Bit(field.scalar, field.toString());
  const bounds = integerBounds(field.scalar);
  if (bounds !== undefined) return integerReader(bounds.low, bounds.high);
  switch (field.scalar) {
    case ScalarType.STRING:
      return (text) => (surrogate.test(text) ? refused("must be well-formed text") : read(text));
    case ScalarType.BOOL:
      return (text) =>
        text === "true" ? read(true) : text === "false" ? read(false) : refused('must be "true" or "false"');
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT: {
      const { scalar } = field;
      return (text) =>
        decimal.test(text) && isValidNumber(scalar, Number(text)) ? read(Number(text)) : refused("must be a number");
    }
    default:
      return undefined;
  }
}

const read = (value: unknown) => ({ ok: true, value }) as const;
const refused = (message: string) => ({ ok: false, message }) as const;

function integerReader(low: number, high: number): TextReader {
  return (text) => {
    const value = integer.test(text) ? Number(text) : Number.NaN;
    return value >= low && value <= high ? read(value) : refused(`must be a whole number from ${low} to ${high}`);
  };
}

function enumReader(field: DescField & { fieldKind: "enum" }): TextReader {
  const names = createEnumNames(field.enum).byName;
  return (text) => {
    const number = names.get(text);
    return number === undefined ? refused(`must be one of ${[...names.keys()].join(", ")}`) : read(number);
  };
}

const readTimestamp: TextReader = (text) => {
  const parts = parseTimestamp(text);
  return parts === undefined
    ? refused("must be a time such as 2026-01-31T12:00:00.000Z")
    : read(create(TimestampSchema, parts));
};
