import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { getAskedTables } from "./answer-schema.ts";
import { numberLines, printLine } from "./numbered-lines.ts";
import { countTokens } from "./parts.ts";

/** An accepted file that is shown to a language model. */
export interface ShownExample {
  readonly text: DocumentText;
  readonly tables: readonly AcceptedTable[];
}

/** The maximum number of rows of a table that an example shows. */
const MAX_ROWS = 5;

/**
 * Prints examples: the beginning of each document, as far as its share of `tokens` allows, and its accepted values as one line of JSON. What is
 * not labeled is left out. An example whose values alone exceed its share is left out. Never throws.
 */
export function printExamples(examples: readonly ShownExample[], configuration: Configuration, tokens: number): string {
  const share = Math.floor(tokens / Math.max(1, examples.length));
  const printed = examples.flatMap((example) => {
    const values = printValues(example.tables, configuration);
    let left = share - countTokens(values) - 20;
    if (left < 0) return [];
    const lines: string[] = [];
    for (const line of numberLines(example.text)) {
      const text = printLine(line);
      left -= countTokens(text) + 1;
      if (left < 0) break;
      lines.push(text);
    }
    return [[...lines, `accepted: ${values}`].join("\n")];
  });
  return printed.map((text, index) => `== example ${index + 1} ==\n${text}`).join("\n");
}

function printValues(tables: readonly AcceptedTable[], configuration: Configuration): string {
  const shown = getAskedTables(configuration).flatMap(({ table, columns }) => {
    const rows = tables.find(({ slug }) => slug === table.slug)?.rows.slice(0, MAX_ROWS) ?? [];
    const values = rows.map((row) =>
      Object.fromEntries(
        columns.flatMap(({ slug }) => {
          const value = Object.hasOwn(row.values, slug) ? row.values[slug] : undefined;
          return value === undefined ? [] : [[slug, toJson(ValueSchema, value)] as const];
        }),
      ),
    );
    return values.length === 0 ? [] : [[table.slug, table.isPrimary ? values[0] : values] as const];
  });
  return JSON.stringify(Object.fromEntries(shown));
}
