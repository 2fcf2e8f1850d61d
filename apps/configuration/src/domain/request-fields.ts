import type { Fault } from "@switchyard/text";

/** The most ids that a list of a request may have. */
export const mostIds = 1000;

/** What is wrong with a list of ids: it may have at most 1,000, none of them empty. */
export function idListFaults(field: string, ids: readonly string[]): Fault[] {
  if (ids.length > mostIds) return [{ field, message: `must have at most ${mostIds} entries` }];
  return ids.flatMap((id, index) => (id === "" ? [{ field: `${field}[${index}]`, message: "must not be empty" }] : []));
}

/** The fields that a PATCH names, which must be among those that can be changed: `populated` where it has no mask. */
export function changedFields(
  mask: readonly string[] | undefined,
  populated: readonly string[],
  restNames: Readonly<Record<string, string>>,
): { readonly fields: ReadonlySet<string>; readonly faults: readonly Fault[] } {
  const paths = mask ?? populated;
  const known = new Map([
    ...Object.entries(restNames),
    ...Object.values(restNames).map((name) => [name, name] as const),
  ]);
  return {
    fields: new Set(paths.flatMap((path) => known.get(path) ?? [])),
    faults: paths.flatMap((path) => (known.has(path) ? [] : [{ field: path, message: "cannot be changed" }])),
  };
}
