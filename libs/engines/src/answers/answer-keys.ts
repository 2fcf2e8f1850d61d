import type { JsonSchema } from "../engines.ts";

/**
 * Returns the value without the keys of objects that its schema does not list. The value is not checked otherwise. Of several schemas (`anyOf`), the
 * first one whose `type` is that of the value counts.
 */
export function dropUnknownKeys(schema: JsonSchema, value: unknown): unknown {
  const matching = schema.anyOf?.find((option) => hasType(option, value)) ?? schema;
  if (Array.isArray(value)) {
    const { items } = matching;
    return items === undefined ? value : value.map((item) => dropUnknownKeys(items, item));
  }
  const { properties } = matching;
  if (typeof value !== "object" || value === null || properties === undefined) return value;
  const known = Object.entries(value).filter(([key]) => Object.hasOwn(properties, key));
  return Object.fromEntries(known.map(([key, item]) => [key, dropUnknownKeys(properties[key] ?? {}, item)]));
}

function hasType({ type }: JsonSchema, value: unknown): boolean {
  if (type === undefined) return true;
  return (typeof type === "string" ? [type] : type).includes(jsonType(value));
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
