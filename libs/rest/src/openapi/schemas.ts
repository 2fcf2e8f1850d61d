import { ScalarType, type DescEnum, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { getComment, getFieldComment } from "./comments.ts";
import { hasNullValue, isNeverNull, isRequired } from "../field-rules.ts";
import { withRule } from "./rules.ts";
import type { Schema } from "./schema.ts";
import { createEnumNames, integerBounds } from "../field-names.ts";
import { isUnwrapped } from "../text-forms.ts";

/**
 * The direction of a message. Requests may omit optional fields and must not contain unknown ones. A change (PATCH) keeps fields that it
 * does not name, so none is required, and null clears a field. Responses contain every field.
 */
export type Direction = "request" | "change" | "response";

/** Collects the schemas of message types, one for each direction. */
export interface Schemas {
  message(descriptor: DescMessage, direction: Direction): Schema;
  object(fields: readonly DescField[], direction: Direction): Schema;
  field(field: DescField, direction: Direction): Schema;
  /** Returns the schema of a field as a query parameter or path variable, which cannot be null. */
  parameter(field: DescField): Schema;
  all(): Readonly<Record<string, Schema>>;
}

/** Creates an empty collection. */
export function createSchemas(): Schemas {
  const named = new Map<string, Schema>();

  function message(descriptor: DescMessage, direction: Direction): Schema {
    const special = wellKnown.get(descriptor.typeName);
    if (special !== undefined) return special;
    if (isWrapperDesc(descriptor)) return scalar(descriptor.fields[0].scalar, direction);
    const name = getName(descriptor, direction);
    if (!named.has(name)) {
      named.set(name, {});
      named.set(name, { ...object(descriptor.fields, direction), ...describe(getComment(descriptor)) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function object(fields: readonly DescField[], direction: Direction): Schema {
    const properties = Object.fromEntries(
      fields.map((field) => [
        field.jsonName,
        { ...createFieldSchema(field, direction), ...describe(getFieldComment(field)) },
      ]),
    );
    const required = fields.filter((field) => direction === "response" || isRequiredIn(field, direction));
    return {
      type: "object",
      properties,
      ...(required.length > 0 ? { required: required.map((field) => field.jsonName) } : {}),
      ...(direction === "response" ? {} : { additionalProperties: false }),
    };
  }

  function createFieldSchema(field: DescField, direction: Direction): Schema {
    const plain = unconstrained(field, direction);
    const schema = direction === "response" ? plain : withRule(field, plain);
    return isNullable(field, direction) ? toNullable(schema) : schema;
  }

  function unconstrained(field: DescField, direction: Direction): Schema {
    switch (field.fieldKind) {
      case "list":
        return { type: "array", items: element(field, field.listKind, direction) };
      case "map":
        return { type: "object", additionalProperties: element(field, field.mapKind, direction) };
      default:
        return element(field, field.fieldKind, direction);
    }
  }

  function element(field: DescField, kind: "scalar" | "enum" | "message", direction: Direction): Schema {
    if (kind === "message" && field.message !== undefined) return message(field.message, direction);
    if (kind === "enum" && field.enum !== undefined) return enumSchema(field.enum);
    return scalar(field.scalar ?? ScalarType.STRING, direction);
  }

  return {
    message,
    object,
    field: createFieldSchema,
    parameter: (field) => withRule(field, unconstrained(field, "request")),
    all: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Whether a field is required. A change requires no fields, but the elements of its lists must be complete. */
function isRequiredIn(field: DescField, direction: Direction): boolean {
  const partial = direction === "change" && field.parent.fields.some(({ name }) => name === "update_mask");
  return isRequired(field) && !partial;
}

/**
 * Whether a field is nullable. In responses, unset fields with presence and unspecified enums are null. In changes, null clears a field
 * with presence. In other requests, null counts as absent.
 */
function isNullable(field: DescField, direction: Direction): boolean {
  if (isJsonValue(field)) return false;
  const hasPresence = field.proto.proto3Optional === true || field.oneof !== undefined;
  switch (direction) {
    case "request":
      return !isRequired(field) || hasNullValue(field);
    case "change":
      return (field.proto.proto3Optional === true || isUnwrapped(field)) && !isNeverNull(field);
    case "response":
      return hasPresence || field.fieldKind === "message" || field.fieldKind === "enum";
  }
}

function isJsonValue(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value";
}

function toNullable(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [type, "null"],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}

function enumSchema(descriptor: DescEnum): Schema {
  return { type: "string", enum: [...createEnumNames(descriptor).byName.keys()] };
}

function scalar(type: ScalarType, direction: Direction): Schema {
  const bounds = integerBounds(type);
  if (bounds !== undefined) return { type: "integer", minimum: bounds.low, maximum: bounds.high };
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return {
        type: "string",
        contentEncoding: "base64",
        ...(direction === "response"
          ? {}
          : { pattern: "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$" }),
      };
    default:
      return { type: "number" };
  }
}

const wellKnown: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Duration", { type: "string", pattern: "^-?[0-9]+(?:\\.[0-9]{1,9})?s$" }],
  ["google.protobuf.FieldMask", { type: "string" }],
  ["google.protobuf.Value", {}],
  ["google.protobuf.Struct", { type: "object" }],
  ["google.protobuf.ListValue", { type: "array", items: {} }],
]);

const suffixes: Readonly<Record<Direction, string>> = { request: "Body", change: "Change", response: "" };

/**
 * Returns the name of a type without its package, which is unique in these contracts. Requests, changes and responses have different names.
 */
function getName(descriptor: DescMessage, direction: Direction): string {
  return descriptor.typeName.replace(/^.*?\.v\d+\./, "").replaceAll(".", "_") + suffixes[direction];
}

function describe(description: string): { description?: string } {
  return description === "" ? {} : { description };
}
