/** How a request names a schema of a model: by its version, or by its id. */
export type SchemaReference =
  { readonly kind: "version"; readonly version: number } | { readonly kind: "id"; readonly id: string };

/** What a text names: a whole number without leading zeros is a version, since no id is one; everything else is an id. */
export function schemaReference(text: string): SchemaReference {
  return /^[1-9][0-9]{0,8}$/.test(text) ? { kind: "version", version: Number(text) } : { kind: "id", id: text };
}
