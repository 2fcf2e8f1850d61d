import { create, ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { assertNot64Bit, createEnumNames, integerBounds, isValidNumber, setField, setOwn } from "../field-names.ts";
import { pathsWithin } from "../field-paths.ts";
import { isUnwrapped, wrap } from "../text-forms.ts";
import type { JsonNode } from "./json-text.ts";
import { createKeyCheck } from "./map-keys.ts";
import { addViolation, inside, isObject, type NodeReader, type ReadingContext } from "./reading.ts";
import { hasNullValue } from "../field-rules.ts";
import { memberPath } from "./violation.ts";
import { createWellKnownReader } from "./well-known.ts";

/** Reads the members of an object into a message, and reports their keys to `onField`. */
export type MessageReader = (
  node: ReadonlyMap<string, JsonNode>,
  path: string,
  context: ReadingContext,
  target: Message,
  onField?: (field: DescField) => void,
) => void;

// A repeated class, because a repeated group takes a stack frame for each repetition, and 25 MiB have six million of them.
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Compiles the readers of messages. Each type is compiled once. */
export interface BodyReaders {
  /** Returns the reader of a message type. The fields at the paths `excluded` ("name", "shelf.name") are unknown to it. */
  message(descriptor: DescMessage, excluded?: ReadonlySet<string>): MessageReader;
  /** Returns the reader of a field's value. */
  field(field: DescField): NodeReader;
}

/**
 * Creates the compiler of body readers. A reader accepts REST names, exact JSON types (no numbers in strings), the REST names of enum
 * values, and well-formed text. Everything else is a violation with the path of the field.
 */
export function createBodyReaders(): BodyReaders {
  const compiled = new Map<string, MessageReader>();

  function message(descriptor: DescMessage, excluded: ReadonlySet<string> = new Set()): MessageReader {
    if (excluded.size > 0) return compile(descriptor, excluded);
    const known = compiled.get(descriptor.typeName);
    if (known !== undefined) return known;
    // Registered before its fields are compiled, because a message may contain itself.
    let reader: MessageReader = () => undefined;
    compiled.set(descriptor.typeName, (...parameters) => reader(...parameters));
    reader = compile(descriptor, excluded);
    compiled.set(descriptor.typeName, reader);
    return reader;
  }

  function compile(descriptor: DescMessage, excluded: ReadonlySet<string>): MessageReader {
    const fields = new Map<string, readonly [DescField, NodeReader]>();
    const protoNames = new Map<string, string>();
    for (const field of descriptor.fields.filter(({ name }) => !excluded.has(name))) {
      const within = pathsWithin(excluded, field.name);
      const read =
        within.size > 0 && field.fieldKind === "message" ? objectReader(field.message, within) : getReader(field);
      fields.set(field.jsonName, [field, read]);
      protoNames.set(field.name, field.jsonName);
    }
    const nullable = descriptor.fields.filter((field) => fields.has(field.jsonName) && hasNullValue(field));
    return (node, path, context, target, onField) => {
      const oneofs = new Set<string>();
      for (const [key, value] of node) {
        const at = memberPath(path, key);
        const known = fields.get(key);
        if (known === undefined) {
          const restName = protoNames.get(key);
          addViolation(
            context,
            at,
            `is not a field of this request${restName === undefined ? "" : `; the name is "${restName}"`}`,
          );
          continue;
        }
        const [field, read] = known;
        if (value === null && !acceptsNull(field)) {
          if (context.patch && !field.proto.proto3Optional && !isUnwrapped(field))
            addViolation(context, at, "must not be null");
          else onField?.(field);
          continue;
        }
        onField?.(field);
        if (field.oneof !== undefined) {
          if (oneofs.has(field.oneof.name)) addViolation(context, at, "excludes another field that is given");
          oneofs.add(field.oneof.name);
        }
        const result = read(value, at, context);
        if (result !== undefined) setField(target, field, result);
      }
      for (const { jsonName } of nullable) {
        if (!node.has(jsonName)) addViolation(context, memberPath(path, jsonName), "is required, and can be null");
      }
    };
  }

  function getReader(field: DescField): NodeReader {
    switch (field.fieldKind) {
      case "scalar":
        return scalarReader(field.scalar, field.toString());
      case "enum":
        return enumReader(field);
      case "message":
        return isUnwrapped(field) ? inside(wrappedReader(field.message)) : messageValueReader(field.message);
      case "list":
        return listReader(
          field.listKind === "scalar"
            ? scalarReader(field.scalar, field.toString())
            : field.listKind === "enum"
              ? enumReader(field)
              : messageValueReader(field.message),
        );
      case "map":
        return mapReader(
          createKeyCheck(field.mapKey, field.toString()),
          field.mapKind === "scalar"
            ? scalarReader(field.scalar, field.toString())
            : field.mapKind === "enum"
              ? enumReader(field)
              : messageValueReader(field.message),
        );
    }
  }

  function messageValueReader(descriptor: DescMessage): NodeReader {
    const wellKnown = createWellKnownReader(descriptor);
    if (wellKnown !== undefined) return inside(wellKnown);
    if (isWrapperDesc(descriptor)) {
      const read = wrappedReader(descriptor);
      return inside((node, path, context) => {
        const value = read(node, path, context);
        return value === undefined ? undefined : wrap(descriptor, value);
      });
    }
    return objectReader(descriptor);
  }

  function objectReader(descriptor: DescMessage, excluded?: ReadonlySet<string>): NodeReader {
    const read = message(descriptor, excluded);
    return inside((node, path, context) => {
      if (!isObject(node)) return addViolation(context, path, "must be an object");
      const target = create(descriptor);
      read(node, path, context, target);
      return target;
    });
  }

  return { message, field: getReader };
}

/** Whether the JSON of a field is an object of its fields. */
export function isPlainMessage(field: DescField): field is DescField & { fieldKind: "message" } {
  return (
    field.fieldKind === "message" && !isWrapperDesc(field.message) && createWellKnownReader(field.message) === undefined
  );
}

/** Whether a type has null among its values, as only google.protobuf.Value does. */
export function acceptsNull(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value";
}

/** Creates the reader of the value of a wrapper such as google.protobuf.StringValue. */
function wrappedReader(descriptor: DescMessage): NodeReader {
  return scalarReader(descriptor.fields[0]?.scalar ?? ScalarType.STRING, descriptor.typeName);
}

function scalarReader(type: ScalarType, where: string): NodeReader {
  assertNot64Bit(type, where);
  const bounds = integerBounds(type);
  if (bounds !== undefined) {
    const { low, high } = bounds;
    return (node, path, context) =>
      typeof node === "number" && Number.isInteger(node) && node >= low && node <= high
        ? node
        : addViolation(context, path, `must be a whole number from ${low} to ${high}`);
  }
  switch (type) {
    case ScalarType.STRING:
      return (node, path, context) =>
        typeof node !== "string"
          ? addViolation(context, path, "must be a string")
          : !node.isWellFormed()
            ? addViolation(context, path, "must be well-formed text")
            : node;
    case ScalarType.BOOL:
      return (node, path, context) =>
        typeof node === "boolean" ? node : addViolation(context, path, "must be true or false");
    case ScalarType.BYTES:
      return (node, path, context) =>
        typeof node === "string" && node.length % 4 === 0 && base64.test(node)
          ? new Uint8Array(Buffer.from(node, "base64"))
          : addViolation(context, path, "must be base64");
    default:
      return (node, path, context) =>
        typeof node === "number" && isValidNumber(type, node) ? node : addViolation(context, path, "must be a number");
  }
}

function enumReader(field: DescField & { enum: NonNullable<DescField["enum"]> }): NodeReader {
  const names = createEnumNames(field.enum).byName;
  const expected = `must be one of ${[...names.keys()].join(", ")}`;
  return (node, path, context) =>
    (typeof node === "string" ? names.get(node) : undefined) ?? addViolation(context, path, expected);
}

function listReader(readElement: NodeReader): NodeReader {
  return (node, path, context) => {
    if (!Array.isArray(node)) return addViolation(context, path, "must be a list");
    const elements: unknown[] = [];
    (node as readonly JsonNode[]).forEach((element, index) => {
      const value = readElement(element, `${path}[${index}]`, context);
      if (value !== undefined) elements.push(value);
    });
    return elements;
  };
}

function mapReader(getKeyProblem: (key: string) => string | undefined, readValue: NodeReader): NodeReader {
  return (node, path, context) => {
    if (!isObject(node)) return addViolation(context, path, "must be an object");
    const target = {};
    for (const [key, element] of node) {
      const at = memberPath(path, key);
      const problem = getKeyProblem(key);
      if (problem !== undefined) addViolation(context, at, problem);
      const value = readValue(element, at, context);
      if (value !== undefined) setOwn(target, key, value);
    }
    return target;
  };
}
