import type { JsonValue } from "@bufbuild/protobuf";
import type { Violation } from "@switchyard/text";
import { separatedRecords } from "./separated-values.ts";
import type { SeparatedRecord } from "./separated-values.ts";

/** The values of one file in an import, before they are typed by a model. */
export type ImportedContent =
  | { readonly kind: "tables"; readonly tables: JsonValue }
  /** The only row of the primary table. */
  | { readonly kind: "values"; readonly values: JsonValue }
  /** Records of separated values. All entries of an import have the same list of columns. */
  | {
      readonly kind: "cells";
      readonly columns: readonly ImportedColumn[];
      readonly records: readonly SeparatedRecord[];
    };

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
}

/** The maximum number of violations that the response to an import contains. */
export const maxLineViolations = 1_000;

const heads = ["fileId", "filename", "deploymentId"];
const keys = [...heads, "tables", "values"];

/** Parses an import: JSON lines if the first character is a brace, and otherwise separated values. Never throws. */
export function readImport(text: string): ImportReading {
  const plain = text.replace(/^\ufeff/, "");
  return plain.trimStart().startsWith("{") ? readJsonLines(plain) : readSeparated(plain);
}

/** Sorts violations by line, and returns as many of the first ones as a response contains. */
export function firstViolations(violations: readonly LineViolation[]): LineViolation[] {
  return violations.toSorted((one, other) => one.line - other.line).slice(0, maxLineViolations);
}

function readJsonLines(text: string): ImportReading {
  const entries: ImportEntry[] = [];
  const violations: LineViolation[] = [];
  text.split(/\r?\n/).forEach((source, index) => {
    if (source.trim() === "") return;
    const line = index + 1;
    const entry = parseEntry(source, line);
    if (!Array.isArray(entry)) entries.push(entry);
    // Not `push(...entry)`: a call with more than about 100,000 arguments exceeds the stack.
    else for (const violation of entry) violations.push(violation);
  });
  return { entries, violations };
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
function readSeparated(text: string): ImportReading {
  const { records, unclosed } = separatedRecords(text);
  const [header, ...rest] = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  if (header === undefined) return { entries: [], violations: [] };
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
  if (violations.length > 0) return { entries: [], violations };
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
  const entries = [...groups.values()].map(({ entry, records: own }) => ({
    ...entry,
    content: { kind: "cells" as const, columns, records: own },
  }));
  return { entries, violations };
}

/** Returns the names that occur more than once. */
function getRepeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of names) (seen.has(name) ? repeated : seen).add(name);
  return repeated;
}
