import type { DescField, DescMessage, JsonReadOptions } from "@bufbuild/protobuf";
import { parseTimestamp } from "@switchyard/text";
import { invalid, type Violation } from "../errors.ts";
import { createWantedFields, isTimestamp, messageIn } from "../wanted-fields.ts";
import { decodeJson, parseJson } from "./json-text.ts";

/** The part of Connect's JSON options that decodes the bytes of a message to text. */
export interface JsonDecoding extends Partial<JsonReadOptions> {
  readonly textDecoder: { decode(bytes?: Uint8Array): string };
}

/**
 * Creates JSON decodings that check the times in messages before protobuf-es reads them, by the rules of REST: an RFC 3339 time of an
 * existing day. protobuf-es alone converts 31 February to 3 March, and its errors do not name the field. An invalid time is InvalidArgument
 * (`INVALID_REQUEST`) with a violation for each field. Undefined for a message type without times.
 */
export function createJsonDecodings(): (descriptor: DescMessage) => JsonDecoding | undefined {
  const getFields = createWantedFields((field) => isTimestamp(messageIn(field)));

  function violationsIn(descriptor: DescMessage, node: unknown, path: string): Violation[] {
    if (isTimestamp(descriptor)) {
      if (typeof node === "string" && parseTimestamp(node) !== undefined) return [];
      return [{ field: path, message: "must be a time such as 2026-01-31T12:00:00.000Z" }];
    }
    if (!isObject(node)) return [];
    return getFields(descriptor).flatMap((field) => {
      const inner = messageIn(field);
      if (inner === undefined) return [];
      // Both names of a field are valid in protobuf's JSON.
      return [...new Set([field.jsonName, field.name])].flatMap((name) => {
        const value = Object.hasOwn(node, name) ? node[name] : null;
        const own = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
        return value === null
          ? []
          : getElements(field, value, own).flatMap(([at, one]) => violationsIn(inner, one, at));
      });
    });
  }

  return (descriptor) => {
    if (getFields(descriptor).length === 0) return undefined;
    return {
      textDecoder: {
        decode(bytes) {
          const text = decodeJson(bytes);
          const violations = violationsIn(descriptor, parseJson(text), "");
          if (violations.length > 0) throw invalid(violations);
          return text;
        },
      },
    };
  };
}

function getElements(field: DescField, value: unknown, path: string): [string, unknown][] {
  if (field.fieldKind === "list") {
    return Array.isArray(value) ? value.map((element, index) => [`${path}[${index}]`, element]) : [];
  }
  if (field.fieldKind === "map") {
    return isObject(value) ? Object.entries(value).map(([key, element]) => [`${path}.${key}`, element]) : [];
  }
  return [[path, value]];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
