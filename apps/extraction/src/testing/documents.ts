// Builders of documents and configurations for tests.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  ColumnSchema,
  ColumnType,
  ConfigurationSchema,
  TableSchema,
  type Configuration,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema, type DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ExtractedRow, ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

/** A cell of a page: the position of its left edge in a grid of 100 characters, and its text. */
export type Placed = readonly [left: number, text: string];

/** Creates a document without a layout. A tab is a wide gap; a line with only a form feed starts a new page. */
export function plainDocument(text: string): DocumentText {
  const pages = text.split(/^\f$/mu).map((page, index) => ({
    number: index + 1,
    lines: page
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => ({ text: line, words: toWords(line) })),
  }));
  return create(DocumentTextSchema, { pages, reader: "fixture/1" });
}

/** Creates a document with boxes. Each line is a list of cells in a grid of 100 by 60; an empty line is a gap. */
export function placedDocument(...pages: readonly (readonly (readonly Placed[])[])[]): DocumentText {
  return create(DocumentTextSchema, {
    reader: "fixture/1",
    pages: pages.map((lines, index) => ({
      number: index + 1,
      width: 600,
      height: 840,
      lines: lines.flatMap((cells, row) => (cells.length === 0 ? [] : [placedLine(cells, row)])),
    })),
  });
}

function placedLine(cells: readonly Placed[], row: number) {
  const text = cells.map(([, each]) => each).join("\t");
  let offset = 0;
  const words = cells.flatMap(([left, each]) => {
    const at = offset;
    offset += each.length + 1;
    return [...each.matchAll(/\S+/gu)].map((match) => ({
      text: match[0],
      offset: at + match.index,
      box: { x: (left + match.index) / 100, y: row / 60, width: match[0].length / 100, height: 0.8 / 60 },
    }));
  });
  const first = cells[0]?.[0] ?? 0;
  const [lastLeft = 0, lastText = ""] = cells.at(-1) ?? [];
  const box = { x: first / 100, y: row / 60, width: (lastLeft + lastText.length - first) / 100, height: 0.8 / 60 };
  return { text, words, box };
}

function toWords(line: string) {
  return [...line.matchAll(/\S+/gu)].map((match) => ({ text: match[0], offset: match.index }));
}

/** A column: its slug, its name, its type, and other fields that a test needs. */
export type ColumnFixture = readonly [
  slug: string,
  name: string,
  type?: keyof typeof ColumnType,
  more?: MessageInitShape<typeof ColumnSchema>,
];

/** Creates a configuration from columns by table. The first table is the primary one. */
export function createConfiguration(tables: Readonly<Record<string, readonly ColumnFixture[]>>): Configuration {
  return create(ConfigurationSchema, {
    tables: Object.keys(tables).map((slug, index) =>
      create(TableSchema, { id: `table_${slug}`, slug, name: slug, isPrimary: index === 0 }),
    ),
    columns: Object.entries(tables).flatMap(([table, columns]) =>
      columns.map(([slug, name, type = "TEXT", more = {}], index) =>
        create(ColumnSchema, {
          id: `${table}_${slug}`,
          tableId: `table_${table}`,
          slug,
          name,
          type: ColumnType[type],
          index,
          ...more,
        }),
      ),
    ),
  });
}

/** Returns the values of a row as plain values. */
export function plainValues(row: ExtractedRow | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row?.values ?? {}).map(([slug, value]) => [
      slug,
      value.kind.case === "nullValue" ? null : value.kind.value,
    ]),
  );
}

/** Returns the rows of a table as plain values. */
export function plainRows(table: ExtractedTable | undefined): Record<string, unknown>[] {
  return (table?.rows ?? []).map(plainValues);
}
