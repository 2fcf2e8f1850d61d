import type { Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Field } from "../concepts.ts";
import type { Context } from "../context.ts";
import type { Choice } from "../scoring.ts";

export function rowsOf(_table: Table, _fields: readonly Field[], _context: Context): Map<Field, Choice>[] {
  return [];
}
