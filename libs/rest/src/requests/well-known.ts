import { create, type DescMessage } from "@bufbuild/protobuf";
import {
  ListValueSchema,
  NullValue,
  StructSchema,
  ValueSchema,
  type ListValue,
  type Struct,
  type Value,
} from "@bufbuild/protobuf/wkt";
import { setOwn } from "../field-names.ts";
import { getTextForm } from "../text-forms.ts";
import { assertSupported } from "../well-known.ts";
import type { JsonNode } from "./json-text.ts";
import { addViolation, isObject, isTooDeep, type NodeReader } from "./reading.ts";

/**
 * Creates the reader of a well-known type; undefined for ordinary messages and wrappers.
 * @throws ContractError for well-known types without a form in the profile
 */
export function createWellKnownReader(descriptor: DescMessage): NodeReader | undefined {
  assertSupported(descriptor);
  const form = getTextForm(descriptor);
  if (form !== undefined)
    return (node, path, context) =>
      (typeof node === "string" ? form.parse(node) : undefined) ?? addViolation(context, path, form.expected);
  switch (descriptor.typeName) {
    case ValueSchema.typeName:
      return encodable(toValue, 1);
    case ListValueSchema.typeName:
      return encodable(
        (node, path, context) =>
          Array.isArray(node) ? toListValue(node) : addViolation(context, path, "must be a list"),
        2,
      );
    case StructSchema.typeName:
      return encodable(
        (node, path, context) => (isObject(node) ? toPlain(node) : addViolation(context, path, "must be an object")),
        2,
      );
    default:
      return undefined;
  }
}

/**
 * Refuses texts and numbers anywhere in a node that protobuf cannot encode, and a depth that it cannot decode, and reads the others.
 * `counted` is how many messages of the first level are counted already.
 */
function encodable(read: NodeReader, counted: number): NodeReader {
  return (node, path, context) => {
    const messages = countMessages(node);
    if (typeof messages === "string") return addViolation(context, path, messages);
    return isTooDeep(context, path, messages - counted) ? undefined : read(node, path, context);
  };
}

/**
 * Returns how deeply messages are nested in the Value of a node: an object or a list counts as two, a Value and a Struct or ListValue.
 * Returns the problem if a text in it is not well-formed, or a number is too large for a double.
 */
function countMessages(node: JsonNode): number | string {
  if (typeof node === "string") return node.isWellFormed() ? 1 : "must be well-formed text";
  if (typeof node === "number") return Number.isFinite(node) ? 1 : "must have no number that is too large for a double";
  if (!isObject(node) && !Array.isArray(node)) return 1;
  if (isObject(node) && ![...node.keys()].every((key) => key.isWellFormed())) return "must be well-formed text";
  let most = 0;
  for (const element of node.values() as Iterable<JsonNode>) {
    const count = countMessages(element);
    if (typeof count === "string") return count;
    most = Math.max(most, count);
  }
  return 2 + most;
}

function toValue(node: JsonNode): Value {
  const kind = (): Value["kind"] => {
    if (node === null) return { case: "nullValue", value: NullValue.NULL_VALUE };
    if (typeof node === "string") return { case: "stringValue", value: node };
    if (typeof node === "number") return { case: "numberValue", value: node };
    if (typeof node === "boolean") return { case: "boolValue", value: node };
    if (isObject(node)) return { case: "structValue", value: toStruct(node) };
    return { case: "listValue", value: toListValue(node) };
  };
  const value = create(ValueSchema);
  value.kind = kind();
  return value;
}

function toStruct(node: ReadonlyMap<string, JsonNode>): Struct {
  const struct = create(StructSchema);
  for (const [key, element] of node) setOwn(struct.fields, key, toValue(element));
  return struct;
}

function toListValue(node: readonly JsonNode[]): ListValue {
  const list = create(ListValueSchema);
  list.values = node.map(toValue);
  return list;
}

/** Converts a node to plain JSON. Every key is an own property. */
function toPlain(node: JsonNode): unknown {
  if (Array.isArray(node)) return node.map(toPlain);
  if (!isObject(node)) return node;
  const target = {};
  for (const [key, element] of node) setOwn(target, key, toPlain(element));
  return target;
}
