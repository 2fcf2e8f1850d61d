import type { Column, Configuration, Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { maxLineViolations } from "./import.ts";
import type { ImportedColumn } from "./import.ts";
import { getColumns } from "./values.ts";

/** A table of a model for which separated values have headings. */
export interface HeadedTable {
  readonly table: Table;
  /** The columns of the separated values that belong to the table, in their order. A column of the model may have two headings. */
  readonly headed: readonly (ImportedColumn & { readonly column: Column })[];
  /** The slugs of the columns of the model that have a heading, in the order of the model. */
  readonly labeled: readonly string[];
}

/** What the headings of separated values mean for a model. */
export interface ResolvedHeadings {
  readonly tables: readonly HeadedTable[];
  /** The headings that are no columns of the model, but no more of them than a response reports. */
  readonly unknown: readonly string[];
}

/** Resolves headings, which are "column" for the primary table and "table.column" for others. A table without a heading is left out. */
export function resolveHeadings(imported: readonly ImportedColumn[], configuration: Configuration): ResolvedHeadings {
  const known = new Set<string>();
  const tables = configuration.tables.flatMap((table): HeadedTable[] => {
    const columns = getColumns(table, configuration);
    const headed = imported.flatMap(({ heading, index }) => {
      const column = columns.get(slugIn(heading, table));
      return column === undefined ? [] : [{ heading, index, column }];
    });
    for (const { heading } of headed) known.add(heading);
    const slugs = new Set(headed.map(({ column }) => column.slug));
    const labeled = [...columns.keys()].filter((slug) => slugs.has(slug));
    return labeled.length === 0 ? [] : [{ table, headed, labeled }];
  });
  const unknown = imported.map(({ heading }) => heading).filter((heading) => !known.has(heading));
  return { tables, unknown: unknown.slice(0, maxLineViolations) };
}

function slugIn(heading: string, { slug, isPrimary }: Table): string {
  if (heading.startsWith(`${slug}.`)) return heading.slice(slug.length + 1);
  return isPrimary ? heading : "";
}
