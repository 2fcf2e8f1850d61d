import type { Column, Configuration } from "@switchyard/client";
import type { Context } from "../../context.ts";
import type { Input } from "../../parsing/input.ts";
import { UsageError } from "../../terminal/exit-codes.ts";
import { parseJson, readData } from "../../transfer/input-data.ts";

/**
 * Reads the JSON that --configuration names: that of a file, or `-` for standard input. The output of `deployments config --output json`
 * becomes the request that sets this configuration. Returns {} without the option.
 * @throws UsageError if it is not a JSON object
 */
export async function configurationOf({ io }: Context, input: Input): Promise<Record<string, unknown>> {
  const file = input.text("configuration");
  if (file === undefined) return {};
  const name = file === "-" ? "standard input" : file;
  const bytes = await readData(io, file === "-" ? file : `@${file}`);
  const value = parseJson(bytes, `${name} cannot be read as JSON`);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`${name} is not a JSON object`);
  return isConfiguration(value) ? toRequest(value) : (value as Record<string, unknown>);
}

/** Whether an object is a response with a configuration. No request has these fields. */
function isConfiguration(value: object): value is Configuration {
  const { deployment, tables, columns } = value as Partial<Configuration>;
  return typeof deployment === "object" && Array.isArray(tables) && Array.isArray(columns);
}

/** Returns the parts of a configuration that can be set. The server assigns the IDs of tables and columns. */
function toRequest({ instructions, tables, columns, extractionSettings }: Configuration): Record<string, unknown> {
  const slugs = new Map(tables.map(({ id, slug }) => [id, slug]));
  return {
    instructions,
    tables: tables.map(({ id: _, ...table }) => table),
    columns: columns.map(({ id: _, tableId, index: __, ...column }: Column) => ({
      table: slugs.get(tableId),
      ...column,
    })),
    extractionSettings,
  };
}
