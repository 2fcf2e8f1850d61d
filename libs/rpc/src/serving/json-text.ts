import { invalid, type Violation } from "../errors.ts";

/** A half of a surrogate pair as an escape. Other escapes are well-formed text. */
const surrogate = /\\u[dD][89a-fA-F]/;

/**
 * Decodes the bytes of a JSON message. Throws InvalidArgument (`INVALID_REQUEST`) if they are not UTF-8, or if a text or a name is not
 * well-formed, with a violation for each. Otherwise, such a text would be stored with replacement characters.
 */
export function decodeJson(bytes: Uint8Array | undefined): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw invalid([{ field: "", message: "The message is not valid UTF-8." }]);
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
