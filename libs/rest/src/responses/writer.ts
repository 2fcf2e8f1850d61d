import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { createPlainConverters, type ToPlain } from "./plain-values.ts";

/** Prints a value as JSON text. */
export type JsonWriter = (value: unknown) => string;

/** Compiles the writers of messages. Each type is compiled once. */
export interface JsonWriters {
  /** Returns the writer of a message type. */
  message(descriptor: DescMessage): JsonWriter;
  /** Returns the writer of a field's value. Undefined prints null. */
  field(field: DescField): JsonWriter;
}

/**
 * Creates the compiler of JSON writers (the REST profile). Every field is always present, by its json_name, in the order of the contract.
 * An unset field with presence prints null, lists [] and maps {}. An enum value prints without the prefix of its type, and UNSPECIFIED (or
 * an unknown number) as null. A Timestamp has exactly three fraction digits, bytes are base64, and google.protobuf.Value and Struct print
 * their contents. The compilation of a type with 64-bit integers throws ContractError.
 */
export function createJsonWriters(): JsonWriters {
  const converters = createPlainConverters();
  return {
    message: (descriptor) => toWriter(converters.message(descriptor)),
    field: (field) => toWriter(converters.field(field)),
  };
}

function toWriter(convert: ToPlain): JsonWriter {
  return (value) => JSON.stringify(convert(value));
}
