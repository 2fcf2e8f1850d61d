import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { commentOf } from "./openapi-comments.ts";
import { enumNames, integerBounds } from "./field-names.ts";

/** A JSON Schema (2020-12, as OpenAPI 3.1 has it). */
export type Schema = Readonly<Record<string, unknown>>;

/** Requests leave fields out and name no others; answers have every field. */
export type Direction = "request" | "response";

/** Collects the schemas of message types, each once for each direction. */
export interface Schemas {
  message(descriptor: DescMessage, direction: Direction): Schema;
  object(fields: readonly DescField[], direction: Direction): Schema;
  field(field: DescField, direction: Direction): Schema;
  /** A field as a query parameter, where null cannot be said. */
  parameter(field: DescField): Schema;
  all(): Readonly<Record<string, Schema>>;
}

/** Creates an empty collection. */
export function createSchemas(): Schemas {
  const named = new Map<string, Schema>();

  function message(descriptor: DescMessage, direction: Direction): Schema {
    const special = wellKnown.get(descriptor.typeName);
    if (special !== undefined) return special;
    const name = nameOf(descriptor, direction);
    if (!named.has(name)) {
      named.set(name, {});
      named.set(name, { ...object(descriptor.fields, direction), ...describe(commentOf(descriptor)) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function object(fields: readonly DescField[], direction: Direction): Schema {
    const properties = Object.fromEntries(
      fields.map((field) => [field.jsonName, { ...schemaOf(field, direction), ...describe(commentOf(field)) }]),
    );
    return {
      type: "object",
      properties,
      ...(direction === "response"
        ? { required: fields.map((field) => field.jsonName) }
        : { additionalProperties: false }),
    };
  }

  function schemaOf(field: DescField, direction: Direction): Schema {
    switch (field.fieldKind) {
      case "list":
        return { type: "array", items: element(field, field.listKind, direction) };
      case "map":
        return { type: "object", additionalProperties: element(field, field.mapKind, direction) };
      case "enum": {
        const schema = element(field, "enum", direction);
        const values = [...enumNames(field.enum).byName.keys()];
        // An answer may leave an enum unset, which prints null whether or not the field has presence.
        return field.proto.proto3Optional || direction === "response"
          ? { type: ["string", "null"], enum: [...values, null] }
          : schema;
      }
      default: {
        const schema = element(field, field.fieldKind, direction);
        const nullable = direction === "response" ? isNullable(field) : field.proto.proto3Optional;
        return nullable ? orNull(schema) : schema;
      }
    }
  }

  function element(field: DescField, kind: "scalar" | "enum" | "message", direction: Direction): Schema {
    if (kind === "message" && field.message !== undefined) return message(field.message, direction);
    if (kind === "enum" && field.enum !== undefined)
      return { type: "string", enum: [...enumNames(field.enum).byName.keys()] };
    return scalar(field.scalar ?? ScalarType.STRING);
  }

  return {
    message,
    object,
    field: schemaOf,
    parameter: (field) =>
      element(field, field.fieldKind === "list" || field.fieldKind === "map" ? "scalar" : field.fieldKind, "request"),
    all: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Fields with presence may be unset, which prints null. */
function isNullable(field: DescField): boolean {
  return field.fieldKind === "message" || field.proto.proto3Optional === true || field.oneof !== undefined;
}

function orNull(schema: Schema): Schema {
  const { type } = schema;
  return typeof type === "string" ? { ...schema, type: [type, "null"] } : { anyOf: [schema, { type: "null" }] };
}

function scalar(type: ScalarType): Schema {
  const bounds = integerBounds(type);
  if (bounds !== undefined) return { type: "integer", minimum: bounds.low, maximum: bounds.high };
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    default:
      return { type: "number" };
  }
}

const wellKnown: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Value", {}],
  ["google.protobuf.Struct", { type: "object" }],
  ["google.protobuf.ListValue", { type: "array", items: {} }],
]);

/** The type's name without its package, which has one such type in these contracts; requests and answers differ. */
function nameOf(descriptor: DescMessage, direction: Direction): string {
  const local = descriptor.typeName.replace(/^.*?\.v\d+\./, "").replaceAll(".", "_");
  return direction === "request" ? `${local}Body` : local;
}

function describe(description: string): { description?: string } {
  return description === "" ? {} : { description };
}
