import type {
  Configuration,
  UpdateConfigurationRequest,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { invalid, notFound } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { applyChange } from "../domain/schema-change.ts";
import { buildContent, isSameContent } from "../domain/schema-content.ts";
import { configurationMessage, draftContent, schemaContent } from "../store/configuration-messages.ts";
import type { Dependencies } from "./dependencies.ts";
import { nextConfiguration } from "./next-configuration.ts";
import { targetOnPath } from "./path-target.ts";

/**
 * Changes the configuration of a model by a new version of its schema; nothing where nothing would change. Changes that race come
 * one after the other, each upon the outcome of the one before.
 */
export async function updateConfiguration(
  { configurations, now }: Dependencies,
  caller: Caller,
  request: UpdateConfigurationRequest,
): Promise<Configuration> {
  const { model } = await targetOnPath(configurations, caller, request.targetId);
  const changed = await configurations.changeConfiguration(model._id, (current, schema) => {
    const content = schema === null ? draftContent(current) : schemaContent(schema);
    const outcome = applyChange(request, content, schema !== null);
    if (outcome.kind === "faults") throw invalid(outcome.faults);
    const next = buildContent(outcome.input, content, newId);
    return isSameContent(next, content) ? null : nextConfiguration(current, next, caller.userId, now());
  });
  if (changed === null) throw notFound("deployment", request.targetId, "deploymentId");
  return configurationMessage({ kind: "model", document: changed.model }, changed.model, changed.schema);
}
