import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { assertNot64Bit, ContractError, enumNames, getField } from "../field-names.ts";
import { createWellKnownWriter } from "../requests/well-known.ts";

/** Prints a value as JSON text. */
export type JsonWriter = (value: unknown) => string;

/** Compiles writers of messages, each type once. */
export interface JsonWriters {
  /** The writer of a message type. */
  message(descriptor: DescMessage): JsonWriter;
  /** The writer of one field's value; undefined prints null. */
  field(field: DescField): JsonWriter;
}

/**
 * Creates the compiler of JSON writers (the REST profile): every field is always there, by its json_name, in the order of the
 * contract; a field with presence that is not set prints null, lists [] and maps {}; an enum value prints without its type's
 * prefix, UNSPECIFIED (and a number that the contract does not know) as null; a Timestamp with exactly three fraction digits;
 * bytes as base64; google.protobuf.Value and Struct as what they hold.
 * The writers throw ContractError while compiling a type with 64-bit integers.
 */
export function createJsonWriters(): JsonWriters {
  const compiled = new Map<string, JsonWriter>();

  function message(descriptor: DescMessage): JsonWriter {
    const known = compiled.get(descriptor.typeName);
    if (known !== undefined) return known;
    // Registered before its fields are compiled: a message may contain itself.
    let writer: JsonWriter = () => "";
    compiled.set(descriptor.typeName, (value) => writer(value));
    writer = createWellKnownWriter(descriptor) ?? compile(descriptor);
    compiled.set(descriptor.typeName, writer);
    return writer;
  }

  function compile(descriptor: DescMessage): JsonWriter {
    const members = descriptor.fields.map((member, index) => ({
      prefix: `${index === 0 ? "{" : ","}${JSON.stringify(member.jsonName)}:`,
      member,
      write: field(member),
    }));
    if (members.length === 0) return () => "{}";
    return (value) => {
      let text = "";
      for (const { prefix, member, write } of members) text += prefix + write(getField(value as object, member));
      return `${text}}`;
    };
  }

  function field(descriptor: DescField): JsonWriter {
    switch (descriptor.fieldKind) {
      case "list": {
        const element = singular(descriptor, descriptor.listKind);
        return (value) => `[${(value as readonly unknown[]).map(element).join(",")}]`;
      }
      case "map": {
        if (descriptor.mapKey !== ScalarType.STRING)
          throw new ContractError(`${descriptor.toString()}: map keys must be strings`);
        const element = singular(descriptor, descriptor.mapKind);
        return (value) => {
          const entries = Object.entries(value as Readonly<Record<string, unknown>>);
          return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${element(item)}`).join(",")}}`;
        };
      }
      default: {
        const write = singular(descriptor, descriptor.fieldKind);
        return (value) => (value === undefined ? "null" : write(value));
      }
    }
  }

  function singular(descriptor: DescField, kind: "scalar" | "enum" | "message"): JsonWriter {
    if (kind === "message" && descriptor.message !== undefined) return message(descriptor.message);
    if (kind === "enum" && descriptor.enum !== undefined) {
      const names = enumNames(descriptor.enum).byNumber;
      const printed = new Map([...names].map(([number, name]) => [number, JSON.stringify(name)]));
      return (value) => printed.get(value as number) ?? "null";
    }
    const type = descriptor.scalar ?? ScalarType.STRING;
    assertNot64Bit(type, descriptor.toString());
    if (type === ScalarType.BYTES) return (value) => `"${Buffer.from(value as Uint8Array).toString("base64")}"`;
    return (value) => JSON.stringify(value);
  }

  return { message, field };
}
