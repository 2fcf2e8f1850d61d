import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";

/** Returns the message type of a field, or of its elements or values. Undefined for scalars and enums. */
export function messageIn(field: DescField): DescMessage | undefined {
  return field.fieldKind === "scalar" || field.fieldKind === "enum" ? undefined : field.message;
}

/** Returns whether a message type is `google.protobuf.Timestamp`. */
export function isTimestamp(message: DescMessage | undefined): boolean {
  return message?.typeName === TimestampSchema.typeName;
}

/** Creates a function that returns whether a message type has, at any depth, a field that is wanted. Results are cached. */
export function createFieldDetector(isWanted: (field: DescField) => boolean): (message: DescMessage) => boolean {
  const known = new Map<DescMessage, boolean>();
  function has(message: DescMessage, seen: Set<DescMessage>): boolean {
    if (seen.has(message)) return false;
    seen.add(message);
    return message.fields.some((field) => {
      const inner = messageIn(field);
      return isWanted(field) || (inner !== undefined && has(inner, seen));
    });
  }
  return (message) => {
    const result = known.get(message) ?? has(message, new Set());
    known.set(message, result);
    return result;
  };
}
