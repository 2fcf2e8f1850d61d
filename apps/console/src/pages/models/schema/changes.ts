import type { Column } from "@switchyard/client";
import { texts } from "../../../texts/index.ts";
import type { ColumnDraft, Draft } from "./draft.ts";

/** How a column differs between two schemas. */
export interface ColumnChange {
  /** The slug of its table. */
  readonly table: string;
  readonly slug: string;
  /** The names of the fields that differ, for a changed column. */
  readonly fields: readonly string[];
  readonly before: ColumnDraft | null;
  readonly after: ColumnDraft | null;
}

/** How two schemas differ, as the API says it of two versions. */
export interface Changes {
  /** The parts that differ: any of `instructions`, `tables`, `columns` and `extractionSettings`. */
  readonly parts: readonly string[];
  readonly added: readonly ColumnChange[];
  readonly removed: readonly ColumnChange[];
  readonly changed: readonly ColumnChange[];
}

const columnFields = [
  "name",
  "type",
  "description",
  "isKey",
  "required",
  "excludedFromExtraction",
  "enumValues",
  "synonyms",
  "sharedId",
  "matching",
] as const satisfies readonly (keyof Column)[];

/** Compares two drafts as the API compares two versions: columns are the same if their slug and that of their table are. */
export function compareDrafts(before: Draft, after: Draft): Changes {
  const [old, now] = [listColumns(before), listColumns(after)];
  const added = now.filter(({ key }) => !old.some((each) => each.key === key));
  const removed = old.filter(({ key }) => !now.some((each) => each.key === key));
  const changed = now.flatMap(({ key, table, column }) => {
    const other = old.find((each) => each.key === key)?.column;
    const fields = other === undefined ? [] : columnFields.filter((field) => !isSame(other[field], column[field]));
    return other === undefined || fields.length === 0
      ? []
      : [{ table, slug: column.slug, fields, before: other, after: column }];
  });
  const tablesOf = ({ tables }: Draft): unknown => tables.map(({ columns: _columns, ...table }) => table);
  const keysOf = (columns: readonly { key: string }[]): string[] => columns.map(({ key }) => key);
  return {
    parts: [
      ...(before.instructions === after.instructions ? [] : ["instructions"]),
      ...(isSame(tablesOf(before), tablesOf(after)) ? [] : ["tables"]),
      ...(changed.length === 0 && isSame(keysOf(old), keysOf(now)) ? [] : ["columns"]),
      ...(isSame(before.extractionSettings, after.extractionSettings) ? [] : ["extractionSettings"]),
    ],
    added: added.map(({ table, column }) => ({ table, slug: column.slug, fields: [], before: null, after: column })),
    removed: removed.map(({ table, column }) => ({
      table,
      slug: column.slug,
      fields: [],
      before: column,
      after: null,
    })),
    changed,
  };
}

function listColumns({ tables }: Draft): { key: string; table: string; column: ColumnDraft }[] {
  return tables.flatMap(({ slug: table, columns }) =>
    columns.map((column) => ({ key: `${table}.${column.slug}`, table, column })),
  );
}

/** Whether two plain values are the same, whatever the order of the members of their objects. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]))
  );
}

/** A difference as a line of a table. */
export interface ChangeLine {
  readonly kind: "added" | "removed" | "changed";
  readonly table: string;
  readonly slug: string;
  /** What differs, such as `type: TEXT → NUMBER`. */
  readonly details: readonly string[];
}

/** Lists the differing columns: those that were added, then removed, then changed. */
export function listChanges({ added, removed, changed }: Changes): ChangeLine[] {
  const line =
    (kind: ChangeLine["kind"]) =>
    ({ table, slug, fields, before, after }: ColumnChange): ChangeLine => ({
      kind,
      table,
      slug,
      details: fields.map((field) => `${field}: ${describe(before, field)} → ${describe(after, field)}`),
    });
  return [...added.map(line("added")), ...removed.map(line("removed")), ...changed.map(line("changed"))];
}

function describe(column: ColumnDraft | null, field: string): string {
  const words = texts.models.changes;
  const value: unknown = column?.[field as keyof ColumnDraft];
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (Array.isArray(value)) return value.length === 0 ? words.nothing : value.join(", ");
  if (value === null || value === undefined || value === "") return words.nothing;
  if (typeof value === "string") return value;
  // How values match: its members that are set.
  return Object.values(value)
    .filter((member) => member !== null)
    .join(" ");
}
