import type { Fault } from "./names.ts";

/** What a PATCH names. */
export interface ChangedFields<Field extends string> {
  /** The fields to change, by the names that the domain gives them. */
  readonly fields: ReadonlySet<Field>;
  /** One for every name that is not among the fields that can be changed. */
  readonly faults: readonly Fault[];
}

/**
 * The fields that a PATCH names: those of its mask, which may say a field by its name in the contract (a key of `fieldNames`) or in
 * the domain (its value); `populated` where it has no mask.
 */
export function changedFields<Field extends string>(
  mask: readonly string[] | undefined,
  populated: readonly string[],
  fieldNames: Readonly<Record<string, Field>>,
): ChangedFields<Field> {
  const paths = mask ?? populated;
  const known = new Map<string, Field>([
    ...Object.entries(fieldNames),
    ...Object.values(fieldNames).map((name) => [name, name] as const),
  ]);
  return {
    fields: new Set(paths.flatMap((path) => known.get(path) ?? [])),
    faults: paths.flatMap((path) => (known.has(path) ? [] : [{ field: path, message: "cannot be changed" }])),
  };
}
