import type { HandlerContext } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { callerOf, canReachProject } from "@switchyard/access";
import type { TargetDeployment, TargetModel } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { callOptions, forbidden, notFound, problem } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { RouteBody } from "../domain/classifier-input.ts";
import { targetKeyOf } from "../store/classifier-document.ts";
import type { RouteDocument } from "../store/classifier-document.ts";
import type { Dependencies } from "./dependencies.ts";

/** The scope of the classifier that a route is for: the project that its models must be of, or null for a global one. */
export type RouteScope = { projectId: string | null };

function fault(reason: string, field: string, message: string) {
  return problem(Code.InvalidArgument, reason, message, { violations: [{ field, message }] });
}

/**
 * Checks the targets of routes and makes the routes, in the fixed order of the checks for each: model unknown 404, of another
 * project 400, out of reach 403, without schema 400, deployment unknown 404, of another model 400.
 * `prefixes` stand before the names of fields in errors, one for each body.
 */
export async function makeRoutes(
  { targets, now }: Pick<Dependencies, "targets" | "now">,
  bodies: readonly RouteBody[],
  prefixes: readonly string[],
  scope: RouteScope,
  context: HandlerContext,
): Promise<RouteDocument[]> {
  if (bodies.length === 0) return [];
  const resolved = await targets.resolveTargets(
    { targets: bodies.map(({ modelId, deploymentId }) => ({ modelId, deploymentId: deploymentId ?? "" })) },
    callOptions(context),
  );
  const routes: RouteDocument[] = [];
  for (const [index, body] of bodies.entries()) {
    const prefix = prefixes[index] ?? "";
    const { model, deployment } = resolved.targets[index] ?? {};
    const checkedModel = checkModel(model, body, prefix, scope, context);
    const checkedDeployment = await checkDeployment(targets, deployment, checkedModel, body, prefix, context);
    routes.push(routeOf(body, checkedModel, checkedDeployment, now()));
  }
  return routes;
}

function checkModel(
  model: TargetModel | undefined,
  { modelId }: RouteBody,
  prefix: string,
  { projectId }: RouteScope,
  context: HandlerContext,
): TargetModel {
  const caller = callerOf(context);
  const field = `${prefix}deploymentId`;
  if (model === undefined || model.organizationId !== caller.organizationId) throw notFound("model", modelId, field);
  if (projectId !== null && model.projectId !== projectId) {
    throw fault("MODEL_OF_ANOTHER_PROJECT", field, "A project classifier routes only to models of its own project.");
  }
  if (!canReachProject(caller, model.projectId)) {
    throw forbidden("PROJECT_OUT_OF_REACH", "The project of the target model is not in the reach of this token.");
  }
  if (model.schemaId === undefined) {
    throw fault("MODEL_HAS_NO_SCHEMA", field, `The model “${model.name}” has no extraction schema.`);
  }
  return model;
}

async function checkDeployment(
  targets: Dependencies["targets"],
  deployment: TargetDeployment | undefined,
  model: TargetModel,
  { deploymentId }: RouteBody,
  prefix: string,
  context: HandlerContext,
): Promise<TargetDeployment | undefined> {
  if (deploymentId === undefined) return undefined;
  const field = `${prefix}targetDeploymentId`;
  if (deployment === undefined) throw notFound("deployment", deploymentId, field);
  if (deployment.modelId === model.id) return deployment;
  // A deployment of another organization does not exist for this caller.
  const owner = await targets.resolveTargets({ targets: [{ modelId: deployment.modelId }] }, callOptions(context));
  if (owner.targets[0]?.model?.organizationId !== callerOf(context).organizationId) {
    throw notFound("deployment", deploymentId, field);
  }
  throw fault("DEPLOYMENT_OF_ANOTHER_MODEL", field, `This deployment does not belong to the model “${model.name}”.`);
}

function routeOf(
  body: RouteBody,
  model: TargetModel,
  deployment: TargetDeployment | undefined,
  createdAt: Date,
): RouteDocument {
  const deploymentId = deployment?.id ?? null;
  const name = body.name.trim();
  return {
    id: newId("rte"),
    name: name === "" ? (deployment?.name ?? model.name) : name,
    description: body.description,
    modelId: model.id,
    deploymentId,
    targetKey: targetKeyOf(model.id, deploymentId),
    projectId: model.projectId,
    lastKnown: { modelName: model.name, deploymentName: deployment?.name ?? null, projectName: model.projectName },
    minConfidence: body.minConfidence ?? null,
    enabled: body.enabled ?? true,
    createdAt,
  };
}
