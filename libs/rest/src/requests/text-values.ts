import { ScalarType, type DescEnum, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { assertNot64Bit, createEnumNames, integerBounds, isValidNumber } from "../field-names.ts";
import { getTextForm, isUnwrapped, wrap } from "../text-forms.ts";

/** Reads the text of a path segment, query parameter or form part as the value of a field. The error message states what was expected. */
export type TextReader = (
  text: string,
) => { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

const integer = /^-?(?:0|[1-9]\d*)$/;
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
// In a URL, "-" and "_" are as good as "+" and "/", and "=" may be left out.
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Compiles the reader of a field: a scalar, an enum, or a message whose JSON is a string or a scalar. For a list, it reads one element.
 * @returns undefined for fields without a text form: other messages, and maps
 * @throws ContractError for a 64-bit integer
 */
export function createTextReader(field: DescField): TextReader | undefined {
  switch (field.fieldKind === "list" ? field.listKind : field.fieldKind) {
    case "scalar":
      return scalarReader(field.scalar as ScalarType, field.toString());
    case "enum":
      return enumReader(field.enum as DescEnum);
    case "message":
      return messageReader(field.message as DescMessage, isUnwrapped(field));
    default:
      return undefined;
  }
}

const read = (value: unknown) => ({ ok: true, value }) as const;
const refused = (message: string) => ({ ok: false, message }) as const;

function scalarReader(type: ScalarType, where: string): TextReader {
  assertNot64Bit(type, where);
  const bounds = integerBounds(type);
  if (bounds !== undefined) return integerReader(bounds.low, bounds.high);
  switch (type) {
    case ScalarType.STRING:
      return (text) => (text.isWellFormed() ? read(text) : refused("must be well-formed text"));
    case ScalarType.BOOL:
      return (text) =>
        text === "true" ? read(true) : text === "false" ? read(false) : refused('must be "true" or "false"');
    case ScalarType.BYTES:
      return (text) => (isBase64(text) ? read(new Uint8Array(Buffer.from(text, "base64"))) : refused("must be base64"));
    default:
      return (text) =>
        decimal.test(text) && isValidNumber(type, Number(text)) ? read(Number(text)) : refused("must be a number");
  }
}

function isBase64(text: string): boolean {
  if (!base64.test(text)) return false;
  const digits = text.replace(/=+$/, "");
  return digits.length % 4 !== 1 && (digits === text || text.length % 4 === 0);
}

function integerReader(low: number, high: number): TextReader {
  return (text) => {
    const value = integer.test(text) ? Number(text) : Number.NaN;
    return value >= low && value <= high ? read(value) : refused(`must be a whole number from ${low} to ${high}`);
  };
}

function enumReader(descriptor: DescEnum): TextReader {
  const names = createEnumNames(descriptor).byName;
  return (text) => {
    const number = names.get(text);
    return number === undefined ? refused(`must be one of ${[...names.keys()].join(", ")}`) : read(number);
  };
}

function messageReader(descriptor: DescMessage, unwrapped: boolean): TextReader | undefined {
  const form = getTextForm(descriptor);
  if (form !== undefined)
    return (text) => {
      const value = form.parse(text);
      return value === undefined ? refused(form.expected) : read(value);
    };
  if (!isWrapperDesc(descriptor)) return undefined;
  const readValue = scalarReader(descriptor.fields[0].scalar, descriptor.typeName);
  if (unwrapped) return readValue;
  return (text) => {
    const outcome = readValue(text);
    return outcome.ok ? read(wrap(descriptor, outcome.value)) : outcome;
  };
}
