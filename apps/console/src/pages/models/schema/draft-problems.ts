import { texts } from "../../../texts/index.ts";
import type { Draft } from "./draft.ts";

const slugs = /^[a-z][a-z0-9_]{0,62}$/;

/** Returns why the server would refuse a draft, in words for people; empty if nothing is known that it would refuse. */
export function findProblems({ tables }: Draft): string[] {
  const words = texts.models.problems;
  const problems: string[] = [];
  for (const [position, { slug, name, columns }] of tables.entries()) {
    const place = name || slug;
    if (!slugs.test(slug)) problems.push(words.slug(place));
    if (tables.findIndex((table) => table.slug === slug) < position) problems.push(words.duplicateTable(slug));
    for (const [at, column] of columns.entries()) {
      const columnPlace = `${place}, ${column.name || column.slug}`;
      if (!slugs.test(column.slug)) problems.push(words.slug(columnPlace));
      if (columns.findIndex((other) => other.slug === column.slug) < at)
        problems.push(words.duplicateColumn(columnPlace));
      if (column.type === "ENUM" && column.enumValues.length === 0) problems.push(words.enumValues(columnPlace));
    }
  }
  if (tables.length > 0 && tables.filter(({ isPrimary }) => isPrimary).length !== 1) problems.push(words.primary);
  return problems;
}

/** Returns a field of a request as the table and column that it stands for, such as `columns[3].slug`; unchanged if it stands for none. */
export function nameField(field: string, { tables }: Draft): string {
  const [, list, index = "", rest = ""] = /^(tables|columns)\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
  const columns = tables.flatMap((table) => table.columns.map((column) => ({ table, column })));
  const table = list === "tables" ? tables[Number(index)] : columns[Number(index)]?.table;
  if (list === undefined || table === undefined) return field;
  const column = list === "columns" ? columns[Number(index)]?.column : undefined;
  const place = [table, column].flatMap((each) => (each === undefined ? [] : [each.name || each.slug]));
  return [...place, rest].filter((part) => part !== "").join(", ");
}
