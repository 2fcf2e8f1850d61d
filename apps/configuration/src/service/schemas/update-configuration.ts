import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import type {
  Configuration,
  UpdateConfigurationRequest,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { invalid } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { fieldChange } from "@switchyard/text";
import { describeConfigurationChanges } from "../../domain/schemas/configuration-changes.ts";
import { applyChange } from "../../domain/schemas/schema-change.ts";
import { buildContent, isSameContent } from "../../domain/schemas/schema-content.ts";
import { configurationMessage, draftContent, schemaContent } from "../../store/configuration-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { listUsableEngines } from "../engines/usable-engines.ts";
import { nextConfiguration } from "./next-configuration.ts";
import { targetOnPath } from "../models/path-target.ts";

/**
 * Changes the configuration of a model by creating a new version of its schema. Does nothing if the content does not change. Concurrent
 * changes are serialized, and each is applied to the result of the previous one.
 */
export async function updateConfiguration(
  { administer, quotas, now, engines }: Dependencies,
  request: UpdateConfigurationRequest,
  context: HandlerContext,
): Promise<Configuration> {
  const caller = getCaller(context);
  const allowed = await quotas.get(caller.organizationId);
  return administer(async (records) => {
    const { model } = await targetOnPath(records, caller, request.targetId);
    const schema = model.schemaId === null ? null : await records.schema(model.schemaId);
    const content = schema === null ? draftContent(model) : schemaContent(schema);
    const outcome = applyChange(request, content, schema !== null, listUsableEngines(engines, caller.organizationId));
    if (outcome.kind === "invalid") throw invalid(outcome.violations);
    const nextContent = buildContent(outcome.input, content, newId);
    if (isSameContent(nextContent, content)) {
      return configurationMessage({ kind: "model", document: model }, model, schema);
    }
    const at = now();
    const next = nextConfiguration(model, nextContent, caller.userId, at);
    await records.replaceConfiguration(next, allowed);
    const changes = {
      ...fieldChange("extractionSchemaId", model.schemaId, next.model.schemaId),
      ...fieldChange("version", model.version, next.model.version),
      ...describeConfigurationChanges(content, nextContent),
    };
    await records.append(changeEntry(context, at, model._id, changes));
    return configurationMessage({ kind: "model", document: next.model }, next.model, next.schema);
  });
}
