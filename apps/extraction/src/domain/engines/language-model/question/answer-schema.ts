import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Column, Configuration, Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { AnswerSchema } from "../../engine.ts";

/** A table of a configuration with the columns that are extracted, in order. */
export interface AskedTable {
  readonly table: Table;
  readonly columns: readonly Column[];
}

/** Returns the tables of a configuration with their columns. Columns that are excluded from extraction are left out. */
export function getAskedTables({ tables, columns }: Configuration): AskedTable[] {
  return tables.map((table) => ({
    table,
    columns: columns
      .filter(({ tableId, excludedFromExtraction }) => tableId === table.id && !excludedFromExtraction)
      .sort((one, other) => one.index - other.index),
  }));
}

/**
 * Returns the schema of the answer about a document: an object of the primary table and lists of rows of the others, by slug. Each cell has its
 * value, the words that it was read from, and the number of their line. All keys are required and none are added, as strict endpoints demand.
 */
export function toAnswerSchema(configuration: Configuration): AnswerSchema {
  const properties = getAskedTables(configuration).map(({ table, columns }): [string, AnswerSchema] => {
    const row = toObject(columns.map((column) => [column.slug, toCellSchema(column)]));
    return [table.slug, table.isPrimary ? row : { type: "array", items: row }];
  });
  return toObject(properties);
}

function toCellSchema(column: Column): AnswerSchema {
  return toObject([
    ["value", toValueSchema(column)],
    ["quote", { type: ["string", "null"] }],
    ["line", { type: ["integer", "null"] }],
  ]);
}

function toValueSchema({ type, enumValues }: Column): AnswerSchema {
  switch (type) {
    case ColumnType.NUMBER:
      return { type: ["number", "null"] };
    case ColumnType.BOOLEAN:
      return { type: ["boolean", "null"] };
    case ColumnType.ENUM:
      return { type: ["string", "null"], enum: [...enumValues, null] };
    case ColumnType.DATE:
      return { type: ["string", "null"], description: "YYYY-MM-DD" };
    default:
      return { type: ["string", "null"] };
  }
}

function toObject(properties: readonly (readonly [string, AnswerSchema])[]): AnswerSchema {
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}
