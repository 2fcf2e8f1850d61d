import { fieldChange, shortened } from "@switchyard/text";
import type { Json } from "@switchyard/text";

/** The fields of a file that audit entries contain. */
export interface AuditedFile {
  readonly filename: string;
  readonly projectId: string | null;
  readonly size: number;
}

/** The fields of a table of accepted values that audit entries are computed from. */
export interface AuditedTable {
  readonly slug: string;
  readonly rows: readonly { readonly values: Readonly<Record<string, unknown>> }[];
}

/** Describes a created or deleted file for the audit trail. */
export function describeFile({ filename, projectId, size }: AuditedFile): { [key: string]: Json } {
  return { filename: shortened(filename), projectId, size };
}

/**
 * Describes a change of a file's accepted values for the audit trail; null means that there are none. For each table, it has the
 * number of rows before and after, and the columns in which values changed. It never contains values: they are content of documents.
 */
export function describeAcceptanceChange(
  before: readonly AuditedTable[] | null,
  after: readonly AuditedTable[] | null,
): { [key: string]: Json } {
  const getRows = (tables: readonly AuditedTable[] | null, slug: string) =>
    tables?.find((table) => table.slug === slug)?.rows ?? [];
  const slugs = new Set([...(after ?? []), ...(before ?? [])].map(({ slug }) => slug));
  const tables = [...slugs].flatMap((slug) => {
    const [from, to] = [getRows(before, slug), getRows(after, slug)];
    const named = new Set([...to, ...from].flatMap(({ values }) => Object.keys(values)));
    const columns = [...named].filter((column) => serializeColumn(from, column) !== serializeColumn(to, column));
    const rows = fieldChange("rows", from.length, to.length);
    return columns.length + Object.keys(rows).length === 0 ? [] : [{ slug, ...rows, columns }];
  });
  return { ...fieldChange("accepted", before !== null, after !== null), tables };
}

/** Serializes the values of a column, one for each row. A cell that is not labeled differs from null. */
function serializeColumn(rows: AuditedTable["rows"], column: string): string {
  return JSON.stringify(rows.map(({ values }) => (Object.hasOwn(values, column) ? [values[column] ?? null] : [])));
}
