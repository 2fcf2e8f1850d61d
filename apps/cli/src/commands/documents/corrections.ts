import type { CorrectionBody } from "@switchyard/client";
import type { Context } from "../../context.ts";
import { UsageError } from "../../terminal/exit-codes.ts";

/**
 * Reads corrections of the form `table.row.column=value`. The types of the values are those of the columns in the schema of the extraction,
 * which is requested for this; an empty value is null. A value that does not have the type is sent as text, for the server to refuse.
 * @throws UsageError for another form
 */
export async function readCorrections(
  context: Context,
  extractionId: string,
  settings: readonly string[],
): Promise<readonly CorrectionBody[]> {
  if (settings.length === 0) return [];
  const cells = settings.map(parseCell);
  const client = await context.client();
  const options = { signal: context.io.signal };
  const { extractionSchemaId } = await client.getExtraction({ extractionId }, options);
  const { tables, columns } = await client.getConfiguration({ deploymentId: extractionSchemaId }, options);
  const slugs = new Map(tables.map(({ id, slug }) => [id, slug]));
  const types = new Map(columns.map(({ tableId, slug, type }) => [`${slugs.get(tableId)}.${slug}`, type]));
  return cells.map(({ table, row, column, text }) => ({
    table,
    row,
    column,
    value: toValue(text, types.get(`${table}.${column}`)),
  }));
}

function parseCell(setting: string) {
  const [, table, row, column, text] = /^(\w+)\.(\d+)\.(\w+)=(.*)$/s.exec(setting) ?? [];
  if (table === undefined || row === undefined || column === undefined || text === undefined)
    throw new UsageError(`--set takes TABLE.ROW.COLUMN=VALUE, not "${setting}"`);
  return { table, row: Number(row), column, text };
}

function toValue(text: string, type: string | undefined): string | number | boolean | null {
  if (text === "") return null;
  if (type === "NUMBER" && /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text)) return Number(text);
  if (type === "BOOLEAN" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}
