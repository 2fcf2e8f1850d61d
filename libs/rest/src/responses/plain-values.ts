import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { assertNot64Bit, createEnumNames } from "../field-names.ts";
import { isUnwrapped } from "../text-forms.ts";
import { createWellKnownConverter } from "./well-known.ts";

/** Converts a value of a message to plain data, which `JSON.stringify` converts to the REST profile. It may share parts of the value. */
export type ToPlain = (value: unknown) => unknown;

/** Compiles the conversions of messages. Each type is compiled once. */
export interface PlainConverters {
  /** Returns the conversion of a message type. */
  message(descriptor: DescMessage): ToPlain;
  /** Returns the conversion of a field's value. Undefined becomes null. */
  field(field: DescField): ToPlain;
}

const same: ToPlain = (value) => value;
const orNull: ToPlain = (value) => value ?? null;

/** Creates the compiler of conversions. The compilation of a type with 64-bit integers throws ContractError. */
export function createPlainConverters(): PlainConverters {
  const compiled = new Map<string, ToPlain>();

  function message(descriptor: DescMessage): ToPlain {
    const known = compiled.get(descriptor.typeName);
    if (known !== undefined) return known;
    // Registered before its fields are compiled, because a message may contain itself.
    let convert: ToPlain = same;
    compiled.set(descriptor.typeName, (value) => convert(value));
    convert =
      createWellKnownConverter(descriptor) ?? (isWrapperDesc(descriptor) ? wrapped(descriptor) : compile(descriptor));
    compiled.set(descriptor.typeName, convert);
    return convert;
  }

  function compile({ fields }: DescMessage): ToPlain {
    return compileObject(fields.map((member) => ({ member, convert: field(member) })));
  }

  function field(descriptor: DescField): ToPlain {
    switch (descriptor.fieldKind) {
      case "list": {
        const element = singular(descriptor, descriptor.listKind);
        return element === same ? same : (value) => (value as readonly unknown[]).map(element);
      }
      case "map": {
        assertNot64Bit(descriptor.mapKey, descriptor.toString());
        const element = singular(descriptor, descriptor.mapKind);
        if (element === same) return same;
        // Every key becomes an own property, including "__proto__".
        return (value) =>
          Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, element(item)] as const));
      }
      default: {
        const convert = isUnwrapped(descriptor)
          ? scalar(descriptor.message.fields[0])
          : singular(descriptor, descriptor.fieldKind);
        return convert === same ? orNull : (value) => (value === undefined ? null : convert(value));
      }
    }
  }

  function singular(descriptor: DescField, kind: "scalar" | "enum" | "message"): ToPlain {
    if (kind === "message" && descriptor.message !== undefined) return message(descriptor.message);
    if (kind === "enum" && descriptor.enum !== undefined) {
      if (descriptor.enum.typeName === "google.protobuf.NullValue") return () => null;
      const names = createEnumNames(descriptor.enum).byNumber;
      return (value) => names.get(value as number) ?? null;
    }
    return scalar(descriptor);
  }

  function wrapped(descriptor: DescMessage): ToPlain {
    const convert = scalar(descriptor.fields[0]);
    return (value) => convert((value as { readonly value: unknown }).value);
  }

  function scalar(descriptor: DescField | undefined): ToPlain {
    const type = descriptor?.scalar ?? ScalarType.STRING;
    assertNot64Bit(type, String(descriptor));
    return type === ScalarType.BYTES ? (value) => Buffer.from(value as Uint8Array).toString("base64") : same;
  }

  return { message, field };
}

/**
 * Compiles a function that creates an object with a property for each field of a message. It is generated as code, because V8 then knows
 * the shape of both objects: a loop over the fields takes three times as long.
 */
function compileObject(fields: readonly { member: DescField; convert: ToPlain }[]): ToPlain {
  const properties = fields.map(({ member, convert }, index) => {
    const value = toReadExpression(member);
    const name = JSON.stringify(member.jsonName);
    if (convert === same) return `${name}: ${value}`;
    return convert === orNull ? `${name}: ${value} ?? null` : `${name}: convert[${index}](${value})`;
  });
  const code = `return (message) => ({ ${properties.join(", ")} });`;
  // The names in the code are those of the contracts, as JSON strings.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const create = new Function("convert", code) as (convert: readonly ToPlain[]) => ToPlain;
  return create(fields.map(({ convert }) => convert));
}

/** Returns the expression that reads a field of `message`; undefined if it has presence and is not set. */
function toReadExpression({ oneof, localName }: DescField): string {
  const own = JSON.stringify(localName);
  if (oneof === undefined) return `message[${own}]`;
  const group = `message[${JSON.stringify(oneof.localName)}]`;
  return `(${group}.case === ${own} ? ${group}.value : undefined)`;
}
