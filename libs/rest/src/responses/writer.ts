import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { assertNot64Bit, createEnumNames, getField } from "../field-names.ts";
import { isUnwrapped } from "../text-forms.ts";
import { createWellKnownWriter } from "../requests/well-known.ts";

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
  const compiled = new Map<string, JsonWriter>();

  function message(descriptor: DescMessage): JsonWriter {
    const known = compiled.get(descriptor.typeName);
    if (known !== undefined) return known;
    // Registered before its fields are compiled, because a message may contain itself.
    let writer: JsonWriter = () => "";
    compiled.set(descriptor.typeName, (value) => writer(value));
    writer =
      createWellKnownWriter(descriptor) ?? (isWrapperDesc(descriptor) ? wrapped(descriptor) : compile(descriptor));
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
        assertNot64Bit(descriptor.mapKey, descriptor.toString());
        const element = singular(descriptor, descriptor.mapKind);
        return (value) => {
          const entries = Object.entries(value as Readonly<Record<string, unknown>>);
          return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${element(item)}`).join(",")}}`;
        };
      }
      default: {
        const write = isUnwrapped(descriptor)
          ? scalar(descriptor.message.fields[0])
          : singular(descriptor, descriptor.fieldKind);
        return (value) => (value === undefined ? "null" : write(value));
      }
    }
  }

  function singular(descriptor: DescField, kind: "scalar" | "enum" | "message"): JsonWriter {
    if (kind === "message" && descriptor.message !== undefined) return message(descriptor.message);
    if (kind === "enum" && descriptor.enum !== undefined) {
      if (descriptor.enum.typeName === "google.protobuf.NullValue") return () => "null";
      const names = createEnumNames(descriptor.enum).byNumber;
      const printed = new Map([...names].map(([number, name]) => [number, JSON.stringify(name)]));
      return (value) => printed.get(value as number) ?? "null";
    }
    return scalar(descriptor);
  }

  function wrapped(descriptor: DescMessage): JsonWriter {
    const write = scalar(descriptor.fields[0]);
    return (value) => write((value as { readonly value: unknown }).value);
  }

  function scalar(descriptor: DescField | undefined): JsonWriter {
    const type = descriptor?.scalar ?? ScalarType.STRING;
    assertNot64Bit(type, String(descriptor));
    if (type === ScalarType.BYTES) return (value) => `"${Buffer.from(value as Uint8Array).toString("base64")}"`;
    return (value) => JSON.stringify(value);
  }

  return { message, field };
}
