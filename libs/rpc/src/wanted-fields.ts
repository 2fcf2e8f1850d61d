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

/** Creates a function that returns the fields of a message type that are wanted, or contain at any depth one that is. Results are cached. */
export function createWantedFields(
  isWanted: (field: DescField) => boolean,
): (message: DescMessage) => readonly DescField[] {
  const known = new Map<DescMessage, readonly DescField[]>();
  function contains(field: DescField, seen: Set<DescMessage>): boolean {
    const inner = messageIn(field);
    if (isWanted(field)) return true;
    if (inner === undefined || seen.has(inner)) return false;
    seen.add(inner);
    return inner.fields.some((each) => contains(each, seen));
  }
  return (message) => {
    const fields = known.get(message) ?? message.fields.filter((field) => contains(field, new Set()));
    known.set(message, fields);
    return fields;
  };
}
