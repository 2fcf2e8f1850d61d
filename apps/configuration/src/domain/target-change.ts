import type { Fault } from "@switchyard/text";
import { validateName } from "@switchyard/text";

/** A change of a model or deployment, as its request says it. */
export interface TargetChangeRequest {
  readonly name: string;
  readonly schemaId: string;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

/** What shall be changed: a field that is undefined stays. The name is trimmed. */
export interface TargetChange {
  readonly name?: string;
  readonly schemaId?: string;
}

/** The change that a request asks for, or everything that is wrong with it. */
export type TargetChangeOutcome =
  | { readonly kind: "change"; readonly change: TargetChange }
  | { readonly kind: "faults"; readonly faults: readonly Fault[] };

const fieldOfPath: Readonly<Record<string, keyof TargetChange>> = {
  name: "name",
  schema_id: "schemaId",
  schemaId: "schemaId",
  // What JSON over Connect makes of a mask that says the name that the field has in JSON.
  extraction_schema_id: "schemaId",
  extractionSchemaId: "schemaId",
};

/**
 * The change that a request asks for: the fields that its mask names, without a mask those that hold something. Only a deployment
 * has a schema to serve; for a model that field is as unknown as any other.
 */
export function targetChange(request: TargetChangeRequest, kind: "model" | "deployment"): TargetChangeOutcome {
  const paths = request.updateMask?.paths ?? populatedPaths(request);
  const unknown = paths.filter((path) => !Object.hasOwn(fieldOfPath, path));
  const fields = new Set(paths.map((path) => fieldOfPath[path]));
  const faults = [
    ...unknown.map((field) => ({ field, message: "cannot be changed" })),
    ...(fields.has("name") ? validateName("name", request.name) : []),
    ...(fields.has("schemaId") ? schemaIdFaults(request.schemaId, kind) : []),
  ];
  if (faults.length > 0) return { kind: "faults", faults };
  return {
    kind: "change",
    change: {
      ...(fields.has("name") ? { name: request.name.trim() } : {}),
      ...(fields.has("schemaId") ? { schemaId: request.schemaId } : {}),
    },
  };
}

function schemaIdFaults(schemaId: string, kind: "model" | "deployment"): Fault[] {
  const field = "extractionSchemaId";
  if (kind === "model") return [{ field, message: "is not a field of this request: only a deployment is promoted" }];
  return schemaId === "" ? [{ field, message: "is required" }] : [];
}

function populatedPaths({ name, schemaId }: TargetChangeRequest): readonly string[] {
  return [...(name === "" ? [] : ["name"]), ...(schemaId === "" ? [] : ["schema_id"])];
}
