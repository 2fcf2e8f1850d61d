import type { JsonValue } from "@bufbuild/protobuf";
import type { Violation } from "@switchyard/text";
import { separatedRecords } from "./separated-values.ts";
import type { SeparatedRecord } from "./separated-values.ts";

/** The values of one file in an import, before they are typed by a model. */
export type ImportedContent =
  | { readonly kind: "tables"; readonly tables: JsonValue }
  /** The only row of the primary table. */
  | { readonly kind: "values"; readonly values: JsonValue }
  /** Records of separated values, with the columns of the import. */
  | { readonly kind: "cells"; readonly records: readonly SeparatedRecord[] };

/** A column of separated values, without those that name the file and the model. */
export interface ImportedColumn {
  readonly heading: string;
  /** The index of its cells. A record with fewer cells is read as if it had empty ones: it is not filled up, which could exhaust memory. */
  readonly index: number;
}

/** The entry of a file in an import. */
export interface ImportEntry {
  /** The line at which the entry begins, from 1. */
  readonly line: number;
  /** The id of the file, or a name that only one file of the project has. */
  readonly file: { readonly id: string } | { readonly filename: string };
  /** The id of the model; undefined if the line does not name one. */
  readonly modelId: string | undefined;
  readonly content: ImportedContent;
}

/** A violation with its line. */
export interface LineViolation extends Violation {
  readonly line: number;
}

/** The entries of an import, and the invalid lines. */
export interface ImportReading {
  readonly entries: readonly ImportEntry[];
  readonly violations: readonly LineViolation[];
  /** The columns of separated values; empty for JSON lines. */
  readonly columns: readonly ImportedColumn[];
}

/** The maximum number of violations that the response to an import contains. */
export const maxLineViolations = 1_000;
/** The maximum number of files that can be imported within the deadline of a request. */
const maxFiles = 5_000;
/** The maximum number of records of separated values. With fewer than ten bytes each, more of them would take hundreds of megabytes. */
const maxRecords = 200_000;

const heads = ["fileId", "filename", "deploymentId"];
const keys = [...heads, "tables", "values"];
const tooManyFiles = { excess: `must have values for at most ${maxFiles} files` };

/**
 * Parses an import: JSON lines if the first character is a brace, and otherwise separated values. Returns what is too much if it has more
 * files, lines or records than can be imported. Never throws.
 */
export function readImport(text: string): ImportReading | { readonly excess: string } {
  const plain = text.replace(/^\ufeff/, "");
  return plain.trimStart().startsWith("{") ? readJsonLines(plain) : readSeparated(plain);
}

/** Sorts violations by line, and returns as many of the first ones as a response contains. */
export function firstViolations(violations: readonly LineViolation[]): LineViolation[] {
  return violations.toSorted((one, other) => one.line - other.line).slice(0, maxLineViolations);
}

function readJsonLines(text: string): ImportReading | { excess: string } {
  const lines = text
    .split(/\r?\n/)
    .map((source, index) => ({ source, line: index + 1 }))
    .filter(({ source }) => source.trim() !== "");
  if (lines.length > maxFiles) return tooManyFiles;
  const entries: ImportEntry[] = [];
  const violations: LineViolation[] = [];
  for (const { source, line } of lines) {
    const entry = parseEntry(source, line);
    if (!Array.isArray(entry)) entries.push(entry);
    // No more are reported. However, each invalid line is counted, so one of each remains.
    else violations.push(...entry.slice(0, Math.max(1, maxLineViolations - violations.length)));
  }
  return { entries, violations, columns: [] };
}

function parseEntry(source: string, line: number): ImportEntry | LineViolation[] {
  const parsed = parsedObject(source);
  if (parsed === undefined) return [{ line, field: "", message: "must be a JSON object" }];
  const violations: LineViolation[] = [...parsed.keys()]
    .filter((key) => !keys.includes(key))
    .map((key) => ({ line, field: key, message: "is not a field of a line" }));
  const text = (key: string): string | undefined => {
    const value = parsed.get(key) ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value === "string" && value !== "") return value;
    violations.push({ line, field: key, message: "must be a string" });
    return undefined;
  };
  const [fileId, filename, modelId] = [text("fileId"), text("filename"), text("deploymentId")];
  const tables = parsed.get("tables");
  const values = parsed.get("values");
  const one = "exactly one of the two is required";
  if (violations.length === 0 && (fileId === undefined) === (filename === undefined))
    violations.push({ line, field: "fileId, filename", message: one });
  if ((tables === undefined) === (values === undefined))
    violations.push({ line, field: "tables, values", message: one });
  if (violations.length > 0) return violations;
  const file = fileId === undefined ? { filename: filename ?? "" } : { id: fileId };
  const content: ImportedContent =
    tables === undefined ? { kind: "values", values: values ?? null } : { kind: "tables", tables };
  return { line, file, modelId, content };
}

function parsedObject(source: string): ReadonlyMap<string, JsonValue> | undefined {
  try {
    const value = JSON.parse(source) as JsonValue;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return new Map(Object.entries(value));
  } catch {
    return undefined;
  }
}

/** Combines all records of a file to one entry, wherever they are. */
function readSeparated(text: string): ImportReading | { excess: string } {
  // The header, and one record more than there can be.
  const { records, unclosed } = separatedRecords(text, maxRecords + 2);
  if (records.length > maxRecords + 1) return { excess: `must have at most ${maxRecords} records` };
  const [header, ...rest] = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  if (header === undefined) return { entries: [], violations: [], columns: [] };
  const names = header.cells.map((cell) => cell.trim());
  const violations: LineViolation[] = [];
  const { line } = header;
  if (unclosed !== undefined)
    violations.push({ line: unclosed, field: "", message: "has a quoted value that is not closed" });
  for (const field of getRepeated(names))
    violations.push({ line, field, message: "is the header of more than one column" });
  const byId = names.includes("fileId");
  if (byId === names.includes("filename"))
    violations.push({ line, field: "fileId, filename", message: "the header must contain exactly one of the two" });
  if (violations.length > 0) return { entries: [], violations, columns: [] };
  const columns = names.map((heading, index) => ({ heading, index })).filter(({ heading }) => !heads.includes(heading));
  const [fileAt, modelAt] = [names.indexOf(byId ? "fileId" : "filename"), names.indexOf("deploymentId")];
  const groups = new Map<string, { entry: Omit<ImportEntry, "content">; records: SeparatedRecord[] }>();
  for (const record of rest) {
    if (record.cells.length > names.length) {
      violations.push({ line: record.line, field: "", message: `must have at most ${names.length} cells` });
      continue;
    }
    const cell = (index: number): string => record.cells[index]?.trim() ?? "";
    const name = cell(fileAt);
    if (name === "") {
      violations.push({ line: record.line, field: byId ? "fileId" : "filename", message: "is required" });
      continue;
    }
    const modelId = cell(modelAt) === "" ? undefined : cell(modelAt);
    const key = `${modelId ?? ""} ${name}`;
    const file = byId ? { id: name } : { filename: name };
    const group = groups.get(key) ?? { entry: { line: record.line, file, modelId }, records: [] };
    groups.set(key, group);
    group.records.push(record);
  }
  if (groups.size > maxFiles) return tooManyFiles;
  const entries = [...groups.values()].map(({ entry, records: own }) => ({
    ...entry,
    content: { kind: "cells" as const, records: own },
  }));
  return { entries, violations, columns };
}

/** Returns the names that occur more than once. */
function getRepeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of names) (seen.has(name) ? repeated : seen).add(name);
  return repeated;
}
