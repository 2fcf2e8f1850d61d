import { create, fromBinary, ScalarType } from "@bufbuild/protobuf";
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isWrapperDesc, StructSchema } from "@bufbuild/protobuf/wkt";
import { WireReader } from "./wire-reader.ts";

/** Decodes a message, like `fromBinary`. */
export type DecodeMessage = (type: DescMessage, bytes: Uint8Array) => Message;

/** Reads a message that ends at a position. */
type ReadMessage = (reader: WireReader, end: number) => Message;

/** How a value is read: its wire type, and an expression with the variables of `compileMessage`. */
interface Value {
  readonly wireType: number;
  readonly expression: string;
}

const scalars: Readonly<Partial<Record<ScalarType, Value>>> = {
  [ScalarType.STRING]: { wireType: 2, expression: "reader.string()" },
  [ScalarType.BYTES]: { wireType: 2, expression: "reader.bytes()" },
  [ScalarType.BOOL]: { wireType: 0, expression: "reader.bool()" },
  [ScalarType.INT32]: { wireType: 0, expression: "reader.int32()" },
  [ScalarType.INT64]: { wireType: 0, expression: "reader.int64()" },
  [ScalarType.DOUBLE]: { wireType: 1, expression: "reader.double()" },
};

const unusual = `throw new RangeError("the encoding is unusual")`;

/**
 * Creates a decoder that compiles each type to code, when its first message is decoded. It takes a third less time than `fromBinary`, and
 * creates less garbage, because V8 knows the shape of the messages. The results are the same: types that it does not support (with maps,
 * wrappers, JSON, packed lists, closed enums, or recursion) and messages that are encoded in an unusual way are left to `fromBinary`, and so are
 * invalid ones.
 * @throws what `fromBinary` throws
 */
export function createMessageDecoder(): DecodeMessage {
  const compiled = new Map<DescMessage, ReadMessage | undefined>();

  function compile(type: DescMessage): ReadMessage | undefined {
    if (compiled.has(type)) return compiled.get(type);
    // If it contains itself, it is found while it is compiled.
    compiled.set(type, undefined);
    const read = compileMessage(type, compile);
    compiled.set(type, read);
    return read;
  }

  return (type, bytes) => {
    const read = compile(type);
    if (read === undefined) return fromBinary(type, bytes);
    try {
      return read(new WireReader(bytes), bytes.length);
    } catch {
      return fromBinary(type, bytes);
    }
  };
}

/** Compiles the code that reads a message. Returns undefined if one of its fields is not supported. */
function compileMessage(
  type: DescMessage,
  compile: (nested: DescMessage) => ReadMessage | undefined,
): ReadMessage | undefined {
  const messages: ReadMessage[] = [];
  const cases: string[] = [];
  for (const field of type.fields) {
    const nested = field.message === undefined || !isOrdinary(field) ? undefined : compile(field.message);
    const value = field.message === undefined ? selectScalar(field) : nested && toNested(messages.push(nested) - 1);
    if (value === undefined) return undefined;
    cases.push(`case ${field.number * 8 + value.wireType}: ${toAssignment(field, value)} break;`);
  }
  const empty = create(type);
  const properties = Object.entries(empty).map(([name, value]) => `this.${name} = ${toLiteral(value)};`);
  // Only property names come from the contracts: the name of a type could shadow a variable or a global of the code.
  const code = `
    function Decoded() { ${properties.join(" ")} }
    Decoded.prototype = prototype;
    return (reader, end) => {
      const message = new Decoded();
      while (reader.position < end) {
        switch (reader.tag()) {
          ${cases.join("\n")}
          default: ${unusual};
        }
      }
      if (reader.position !== end) ${unusual};
      return message;
    };`;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const build = new Function("prototype", "messages", code) as (
    prototype: unknown,
    messages: readonly ReadMessage[],
  ) => ReadMessage;
  return build(Object.getPrototypeOf(empty), messages);
}

/** Returns whether the value of a field is a message of its type, and not a map, JSON, the value of a wrapper, or a group. */
function isOrdinary({ fieldKind, message, delimitedEncoding }: DescField & { message: DescMessage }): boolean {
  const isConverted = isWrapperDesc(message) || message.typeName === StructSchema.typeName;
  return fieldKind !== "map" && !isConverted && delimitedEncoding !== true;
}

function toNested(index: number): Value {
  return { wireType: 2, expression: `messages[${index}](reader, reader.end(end))` };
}

/** Returns how a scalar or an enum is read; undefined for maps, for lists of numbers, which may be packed, and for closed enums. */
function selectScalar(field: DescField): Value | undefined {
  if (field.fieldKind === "map") return undefined;
  if (field.fieldKind === "list" && field.scalar !== ScalarType.STRING) return undefined;
  if (field.enum !== undefined) return field.enum.open ? scalars[ScalarType.INT32] : undefined;
  return field.scalar === undefined ? undefined : scalars[field.scalar];
}

/** Returns the statement that stores a value. A message that occurs twice would have to be merged. */
function toAssignment({ localName, fieldKind, oneof }: DescField, { expression }: Value): string {
  if (fieldKind === "list") return `message.${localName}.push(${expression});`;
  if (oneof !== undefined) {
    const group = `message.${oneof.localName}`;
    return `if (${group}.case !== undefined) ${unusual}; ${group} = { case: "${localName}", value: ${expression} };`;
  }
  const once = fieldKind === "message" ? `if (message.${localName} !== undefined) ${unusual}; ` : "";
  return `${once}message.${localName} = ${expression};`;
}

/** Returns the code of the value that a property of an empty message has. */
function toLiteral(value: unknown): string {
  if (Array.isArray(value)) return "[]";
  if (value instanceof Uint8Array) return "new Uint8Array(0)";
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "object" ? "{ case: undefined }" : JSON.stringify(value);
}
