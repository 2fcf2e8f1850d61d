import type { Violation } from "@switchyard/text";
import { validateName } from "@switchyard/text";

/** A requested change of a model or deployment. */
export interface TargetChangeRequest {
  readonly name: string;
  readonly schemaId: string;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

/** The fields to change. An undefined field is kept. The name is trimmed. */
export interface TargetChange {
  readonly name?: string;
  readonly schemaId?: string;
}

/** The requested change, or all violations. */
export type TargetChangeOutcome =
  | { readonly kind: "change"; readonly change: TargetChange }
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] };

const fieldOfPath: Readonly<Record<string, keyof TargetChange>> = {
  name: "name",
  schema_id: "schemaId",
  schemaId: "schemaId",
  // The codec of JSON over Connect converts the name that the field has in JSON to this one.
  extraction_schema_id: "schemaId",
  extractionSchemaId: "schemaId",
};

/**
 * Reads the requested change: the fields that its mask names, or without a mask the fields that are set. Only a deployment serves a schema,
 * so for a model this field is unknown.
 */
export function targetChange(request: TargetChangeRequest, kind: "model" | "deployment"): TargetChangeOutcome {
  const paths = request.updateMask?.paths ?? populatedPaths(request);
  const unknown = paths.filter((path) => !Object.hasOwn(fieldOfPath, path));
  const fields = new Set(paths.map((path) => fieldOfPath[path]));
  const violations = [
    ...unknown.map((field) => ({ field, message: "cannot be changed" })),
    ...(fields.has("name") ? validateName("name", request.name) : []),
    ...(fields.has("schemaId") ? validateSchemaId(request.schemaId, kind) : []),
  ];
  if (violations.length > 0) return { kind: "invalid", violations };
  return {
    kind: "change",
    change: {
      ...(fields.has("name") ? { name: request.name.trim() } : {}),
      ...(fields.has("schemaId") ? { schemaId: request.schemaId } : {}),
    },
  };
}

function validateSchemaId(schemaId: string, kind: "model" | "deployment"): Violation[] {
  const field = "extractionSchemaId";
  if (kind === "model") return [{ field, message: "is not a field of this request: only deployments can be promoted" }];
  return schemaId === "" ? [{ field, message: "is required" }] : [];
}

function populatedPaths({ name, schemaId }: TargetChangeRequest): readonly string[] {
  return [...(name === "" ? [] : ["name"]), ...(schemaId === "" ? [] : ["schema_id"])];
}
