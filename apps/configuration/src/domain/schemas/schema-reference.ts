/** A reference to a schema of a model, by its version or by its id. */
export type SchemaReference =
  { readonly kind: "version"; readonly version: number } | { readonly kind: "id"; readonly id: string };

/** Parses a reference to a schema. A whole number without leading zeros is a version, because no id is one. Everything else is an id. */
export function schemaReference(text: string): SchemaReference {
  return /^[1-9][0-9]{0,8}$/.test(text) ? { kind: "version", version: Number(text) } : { kind: "id", id: text };
}
