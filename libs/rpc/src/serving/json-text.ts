import { maxJsonValues } from "@switchyard/contracts/json-limits";
import { invalid, type Violation } from "../errors.ts";

/** A half of a surrogate pair as an escape. Other escapes are well-formed text. */
const surrogate = /\\u[dD][89a-fA-F]/;

/**
 * Decodes the bytes of a JSON message. Throws InvalidArgument (`INVALID_REQUEST`) if they are not UTF-8, if there are more than `maxJsonValues`
 * values, or if a text or a name is not well-formed, with a violation for each. Otherwise, such a text would be stored with replacement
 * characters.
 */
export function decodeJson(bytes: Uint8Array | undefined): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw invalid([{ field: "", message: "The message is not valid UTF-8." }]);
  if (text.length > 2 * maxJsonValues && hasTooManyValues(text))
    throw invalid([{ field: "", message: `The message has more than ${maxJsonValues} values.` }]);
  const violations = surrogate.test(text) ? findIllFormed(parseJson(text), "") : [];
  if (violations.length > 0) throw invalid(violations);
  return text;
}

/** Parses JSON. Invalid JSON is undefined: protobuf-es rejects it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const codes = { quote: 34, comma: 44, list: 91, backslash: 92, object: 123 } as const;

/** Whether a text has more than `maxJsonValues` values, if it is JSON. Each is either the first one of a list or an object, or follows a comma. */
function hasTooManyValues(text: string): boolean {
  let values = 1;
  for (let position = 0; position < text.length && values <= maxJsonValues; position += 1) {
    const code = text.charCodeAt(position);
    if (code === codes.quote) position = findEndOfString(text, position);
    else if (code === codes.comma || code === codes.list || code === codes.object) values += 1;
  }
  return values > maxJsonValues;
}

/** Returns the position of the quotation mark that ends the string that begins at a position. */
function findEndOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === codes.backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function decodeUtf8(bytes: Uint8Array | undefined): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function findIllFormed(node: unknown, path: string): Violation[] {
  if (typeof node === "string")
    return node.isWellFormed() ? [] : [{ field: path, message: "must be well-formed text" }];
  if (Array.isArray(node)) return node.flatMap((element, index) => findIllFormed(element, `${path}[${index}]`));
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, element]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return key.isWellFormed()
      ? findIllFormed(element, at)
      : [{ field: at.toWellFormed(), message: "must have a name of well-formed text" }];
  });
}
