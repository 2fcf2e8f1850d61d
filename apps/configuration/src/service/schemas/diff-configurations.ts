import { create } from "@bufbuild/protobuf";
import { DiffConfigurationsResponseSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  DiffConfigurationsRequest,
  DiffConfigurationsResponse,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, modelHasNoSchema } from "@switchyard/rpc";
import { diffContents } from "../../domain/schemas/configuration-diff.ts";
import type { SchemaColumnDifference } from "../../domain/schemas/configuration-diff.ts";
import type { SchemaDocument } from "../../store/configuration-documents.ts";
import { schemaContent } from "../../store/configuration-messages.ts";
import type { ConfigurationStore } from "../../store/configuration-store.ts";
import type { Dependencies } from "../dependencies.ts";
import { targetOnPath } from "../models/path-target.ts";
import type { PathTarget } from "../models/path-target.ts";
import { getModelSchemaOrVersion } from "../models/schema-of-model.ts";

/** Computes the difference between two schemas of a model. */
export async function diffConfigurations(
  { configurations }: Dependencies,
  caller: Caller,
  request: DiffConfigurationsRequest,
): Promise<DiffConfigurationsResponse> {
  const target = await targetOnPath(configurations, caller, request.targetId);
  if (request.from === "") throw invalid([{ field: "from", message: "is required" }]);
  const from = await getModelSchemaOrVersion(configurations, target.model, request.from, "from");
  const to =
    request.to === ""
      ? await schemaOnPath(configurations, target)
      : await getModelSchemaOrVersion(configurations, target.model, request.to, "to");
  const { parts, added, removed, changed } = diffContents(schemaContent(from), schemaContent(to));
  return create(DiffConfigurationsResponseSchema, {
    from: { schemaId: from._id, version: from.version },
    to: { schemaId: to._id, version: to.version },
    parts: [...parts],
    added: added.map(columnDifference),
    removed: removed.map(columnDifference),
    changed: changed.map(columnDifference),
  });
}

/** Returns the schema that the path names: the schema itself, the one that a deployment serves, or the current one of a model. */
async function schemaOnPath(configurations: ConfigurationStore, target: PathTarget): Promise<SchemaDocument> {
  if (target.kind === "schema") return target.schema;
  const { schemaId } = target.kind === "deployment" ? target.deployment : target.model;
  const schema = schemaId === null ? null : await configurations.schema(schemaId);
  if (schema === null) throw modelHasNoSchema();
  return schema;
}

function columnDifference({ table, slug, fields, before, after }: SchemaColumnDifference) {
  return {
    table,
    slug,
    fields: [...fields],
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
