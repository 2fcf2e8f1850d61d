import type { Violation } from "./names.ts";

/** The fields that a PATCH changes. */
export interface ChangedFields<Field extends string> {
  /** The fields to change, by their names in the domain. */
  readonly fields: ReadonlySet<Field>;
  /** A violation for every field that cannot be changed. */
  readonly violations: readonly Violation[];
}

/**
 * Determines the fields that a PATCH changes: those of its mask, which may use the name in the contract (a key of `fieldNames`) or the name
 * in the domain (its value), or `populated` if there is no mask.
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
    violations: paths.flatMap((path) => (known.has(path) ? [] : [{ field: path, message: "cannot be changed" }])),
  };
}
