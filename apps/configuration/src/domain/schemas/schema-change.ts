import type {
  ColumnInput,
  ExtractionSettingsInput,
  TableInput,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Violation } from "@switchyard/text";
import { toInput } from "./schema-content.ts";
import type { Fields, SchemaContent, SchemaInput } from "./schema-content.ts";
import { attributeToTables, validateSchema } from "./schema-validation.ts";
import { validateSettings } from "./settings-validation.ts";
import type { UsableEngine } from "./settings-validation.ts";

/** A requested change of a configuration. */
export interface SchemaChange {
  readonly instructions: string;
  readonly tables: readonly Fields<TableInput>[];
  readonly columns: readonly Fields<ColumnInput>[];
  readonly extractionSettings?: Fields<ExtractionSettingsInput> | undefined;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

/** A field of a configuration that can be changed. */
type ChangedField = "instructions" | "tables" | "columns" | "extractionSettings";

const fieldOfPath: Readonly<Record<string, ChangedField>> = {
  instructions: "instructions",
  tables: "tables",
  columns: "columns",
  extraction_settings: "extractionSettings",
  extractionSettings: "extractionSettings",
};

/** The content that results from a change, or all violations. */
export type ChangeOutcome =
  | { readonly kind: "input"; readonly input: SchemaInput }
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] };

/**
 * Applies a change to the current content: a field that the mask names is replaced, and every other field is kept. Without a mask, all
 * fields that are set are replaced. If `hasSchema` is true, the model has a schema, which must keep at least one table.
 * `engines` are those that the organization may use. One that the content names already may stay.
 */
export function applyChange(
  change: SchemaChange,
  current: SchemaContent,
  hasSchema: boolean,
  engines: readonly UsableEngine[],
): ChangeOutcome {
  const paths = change.updateMask?.paths ?? populatedPaths(change);
  const unknown = paths.filter((path) => !Object.hasOwn(fieldOfPath, path));
  if (unknown.length > 0) {
    return { kind: "invalid", violations: unknown.map((path) => ({ field: path, message: "cannot be changed" })) };
  }
  const changed = new Set(paths.map((path) => fieldOfPath[path]));
  const base = toInput(current);
  const input: SchemaInput = {
    instructions: changed.has("instructions") ? change.instructions : base.instructions,
    tables: changed.has("tables") ? change.tables : base.tables,
    columns: changed.has("columns") ? change.columns : base.columns,
    settings: changed.has("extractionSettings") ? change.extractionSettings : base.settings,
  };
  const found = validateSchema(input, hasSchema);
  const violations = [
    ...(changed.has("columns") ? found : attributeToTables(found)),
    ...(changed.has("extractionSettings") ? validateSettings(input.settings, keepEngine(engines, base.settings)) : []),
  ];
  return violations.length === 0 ? { kind: "input", input } : { kind: "invalid", violations };
}

/** Adds the engine and the model that settings name already, which the operator may have removed. */
function keepEngine(
  engines: readonly UsableEngine[],
  { engine: name, modelName }: Pick<Fields<ExtractionSettingsInput>, "engine" | "modelName"> = {},
): readonly UsableEngine[] {
  if (name === undefined) return engines;
  const { models } = engines.find((engine) => engine.name === name) ?? { models: [] };
  if (models === null) return engines;
  const kept = { name, models: modelName === undefined ? models : [...models, modelName] };
  return [...engines.filter((engine) => engine.name !== name), kept];
}

function populatedPaths(change: SchemaChange): readonly string[] {
  return [
    ...(change.instructions === "" ? [] : ["instructions"]),
    ...(change.tables.length === 0 ? [] : ["tables"]),
    ...(change.columns.length === 0 ? [] : ["columns"]),
    ...(change.extractionSettings === undefined ? [] : ["extractionSettings"]),
  ];
}
