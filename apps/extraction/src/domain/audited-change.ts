import { fieldChange, shortened } from "@switchyard/text";
import type { Json } from "@switchyard/text";

/** A file as far as the audit trail tells of it. */
export interface AuditedFile {
  readonly filename: string;
  readonly projectId: string | null;
  readonly size: number;
}

/** A table of accepted values as far as the audit trail looks at it. */
export interface AuditedTable {
  readonly slug: string;
  readonly rows: readonly { readonly values: Readonly<Record<string, unknown>> }[];
}

/** What the audit trail says of a file that came or goes. */
export function getPresentation({ filename, projectId, size }: AuditedFile): { [key: string]: Json } {
  return { filename: shortened(filename), projectId, size };
}

/**
 * What the audit trail says of a file's accepted values that are others now, null where there are none: by table, how many rows it
 * had and has, and the columns in which values changed. Never a value: they are what stands in documents, and the trail stays.
 */
export function acceptanceChange(
  before: readonly AuditedTable[] | null,
  after: readonly AuditedTable[] | null,
): { [key: string]: Json } {
  const getRows = (tables: readonly AuditedTable[] | null, slug: string) =>
    tables?.find((table) => table.slug === slug)?.rows ?? [];
  const slugs = new Set([...(after ?? []), ...(before ?? [])].map(({ slug }) => slug));
  const tables = [...slugs].flatMap((slug) => {
    const [from, to] = [getRows(before, slug), getRows(after, slug)];
    const named = new Set([...to, ...from].flatMap(({ values }) => Object.keys(values)));
    const columns = [...named].filter((column) => toText(from, column) !== toText(to, column));
    const rows = fieldChange("rows", from.length, to.length);
    return columns.length + Object.keys(rows).length === 0 ? [] : [{ slug, ...rows, columns }];
  });
  return { ...fieldChange("accepted", before !== null, after !== null), tables };
}

/** The values of a column, one for each row. */
function toText(rows: AuditedTable["rows"], column: string): string {
  return JSON.stringify(rows.map(({ values }) => values[column] ?? null));
}
