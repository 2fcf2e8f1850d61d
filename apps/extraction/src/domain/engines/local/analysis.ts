import type { Configuration, Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { toFields, type Field } from "../../concepts.ts";
import { createContext, type Context } from "../../context.ts";
import { ownKey } from "./fields/fields.ts";
import { conceptLabels, withOwnLabels } from "../../labels.ts";
import { DOCUMENT_CONCEPTS } from "../../lexicon/lexicon.ts";

const DOCUMENT_LABELS = conceptLabels(DOCUMENT_CONCEPTS);

/** A table of a configuration with the fields that are extracted. */
export interface AnalyzedTable {
  readonly table: Table;
  readonly fields: readonly Field[];
}

/** Returns the tables of a configuration with their fields. Columns that are excluded from extraction are left out. */
export function toTables(configuration: Configuration): AnalyzedTable[] {
  return configuration.tables.map((table) => {
    const columns = configuration.columns
      .filter((column) => column.tableId === table.id && !column.excludedFromExtraction)
      .sort((one, other) => one.index - other.index);
    return { table, fields: toFields(columns, table.isPrimary) };
  });
}

/** Analyzes a document for the tables of a configuration, whose columns' names are labels, too. Never throws. */
export function analyze(text: DocumentText, tables: readonly AnalyzedTable[]): Context {
  const own = new Map<string, readonly string[]>();
  for (const { table, fields } of tables)
    if (table.isPrimary) for (const field of fields) own.set(ownKey(field), field.labels);
  return createContext(text, withOwnLabels(DOCUMENT_LABELS, own));
}
