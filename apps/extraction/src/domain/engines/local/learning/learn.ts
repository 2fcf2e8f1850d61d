import type { Value } from "@bufbuild/protobuf/wkt";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { getLetters } from "../../../fold.ts";
import { analyze, toTables } from "../analysis.ts";
import { isLearnable } from "./candidates.ts";
import { learnColumn, type LearnedColumn } from "./column.ts";
import type { Example, LabeledFile } from "./example.ts";
import { findChoices, findHeads, toExample } from "./options.ts";

/** What was learned from the accepted files of a model, by the slugs of columns of its primary table. It can be cloned and serialized. */
export interface Learned {
  readonly columns: ReadonlyMap<string, LearnedColumn>;
}

/** The examples of one file by the slugs of columns. */
export type FileExamples = ReadonlyMap<string, Example>;

/** The maximum number of files from which a model learns. */
export const MAX_FILES = 500;

/** Makes the examples of a file for the columns of a configuration that are labeled in it. Never throws. */
export function toExamples({ id, document, values }: LabeledFile, configuration: Configuration): FileExamples {
  const tables = toTables(configuration);
  const context = analyze(document, tables);
  const heads = findHeads(context);
  const examples = new Map<string, Example>();
  for (const { table, fields } of tables) {
    if (!table.isPrimary) continue;
    for (const field of fields) {
      const value = values[field.column.slug];
      if (value === undefined || !isLearnable(field)) continue;
      examples.set(field.column.slug, toExample(id, field, context, findChoices(field, context, heads), value));
    }
  }
  return examples;
}

/**
 * Learns from the examples of files. The result does not depend on their order, and on nothing but them. Of more than `MAX_FILES` files, the
 * first by id are used.
 */
export function learn(files: readonly FileExamples[]): Learned {
  const bySlug = new Map<string, Example[]>();
  for (const file of files)
    for (const [slug, example] of file) bySlug.set(slug, [...(bySlug.get(slug) ?? []), example]);
  const columns = new Map<string, LearnedColumn>();
  for (const slug of [...bySlug.keys()].sort()) {
    const examples = (bySlug.get(slug) ?? []).sort((one, other) =>
      one.id < other.id ? -1 : one.id > other.id ? 1 : 0,
    );
    const column = learnColumn(examples.slice(0, MAX_FILES));
    if (column) columns.set(slug, column);
  }
  return { columns };
}

/** Returns who issued a document according to its accepted values, in a normalized form; null if no column says so. */
export function findIssuer(values: Readonly<Record<string, Value>>, configuration: Configuration): string | null {
  for (const { table, fields } of toTables(configuration)) {
    const field = table.isPrimary ? fields.find(({ concept }) => concept?.id === "seller") : undefined;
    const kind = field && values[field.column.slug]?.kind;
    const letters = kind?.case === "stringValue" ? getLetters(kind.value) : "";
    if (letters !== "") return letters;
  }
  return null;
}
