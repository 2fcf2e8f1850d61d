import type { CallOptions, HandlerContext } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import type { ResolvedTarget } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { callOptions, invalid, notFound } from "@switchyard/rpc";
import type { Dependencies } from "../dependencies.ts";

/** A model that a path names. */
export interface ModelTarget {
  readonly modelId: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** The schema that the path names: the current one of a model, the one that a deployment serves, or the schema itself. */
  readonly schemaId: string | undefined;
}

/**
 * Finds the model that an ID names: its own, that of one of its deployments, or that of one of its schemas. Throws NOT_FOUND if the caller's
 * organization has none, and PERMISSION_DENIED if its project is out of reach.
 */
export async function findModel(
  { targets }: Pick<Dependencies, "targets">,
  targetId: string,
  context: HandlerContext,
): Promise<ModelTarget> {
  if (targetId === "") throw invalid([{ field: "deploymentId", message: "is required" }]);
  const caller = getCaller(context);
  const options = callOptions(context);
  const named = await resolve(targets, { modelId: targetId, deploymentId: targetId }, options);
  const { deployment } = named;
  const model = named.model ?? (deployment && (await resolve(targets, { modelId: deployment.modelId }, options)).model);
  if (model === undefined || model.organizationId !== caller.organizationId) {
    throw notFound("deployment", targetId, "deploymentId");
  }
  requireReach(caller, model.projectId);
  const ofModel = model.id === targetId ? model.schemaId : targetId;
  const { id: modelId, organizationId, projectId } = model;
  return { modelId, organizationId, projectId, schemaId: deployment?.schemaId ?? ofModel };
}

async function resolve(
  targets: Dependencies["targets"],
  reference: { modelId: string; deploymentId?: string },
  options: CallOptions,
): Promise<Partial<ResolvedTarget>> {
  return (await targets.resolveTargets({ targets: [reference] }, options)).targets[0] ?? {};
}
