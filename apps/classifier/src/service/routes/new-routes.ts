import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import { ResolvedTargetSchema } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { TargetDeployment, TargetModel } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { callOptions, modelHasNoSchema, notFound, problem } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { ReasonOf } from "@switchyard/contracts/reasons";
import type { RouteBody } from "../../domain/administration/classifier-input.ts";
import { getTargetKey } from "../../store/classifier-document.ts";
import type { RouteDocument } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { resolveTargets } from "./targets.ts";
import type { TargetReference, Targets } from "./targets.ts";

/** The scope of the classifier that a route is for: the project that the models must belong to, or null for a global classifier. */
export type RouteScope = { projectId: string | null };

function invalidTarget(reason: ReasonOf<"INVALID_ARGUMENT">, field: string, message: string) {
  return problem(Code.InvalidArgument, reason, message, { violations: [{ field, message }] });
}

/** The names of the target's fields in errors. */
interface TargetFieldNames {
  model: string;
  deployment: string;
}

/** A target that has passed the checks, in its current state. */
export interface CheckedTarget {
  model: TargetModel;
  /** Undefined for the model itself. */
  deployment: TargetDeployment | undefined;
}

/** Routes whose targets were checked, with their targets by the IDs in the routes. */
export interface NewRoutes {
  routes: RouteDocument[];
  targets: Targets;
}

/**
 * Checks the targets of routes with {@link checkTarget}, in order, and creates the routes.
 * `prefixes` contains, for each body, the prefix of field names in errors.
 */
export async function createRoutes(
  { targets, now }: Pick<Dependencies, "targets" | "now">,
  bodies: readonly RouteBody[],
  prefixes: readonly string[],
  scope: RouteScope,
  context: HandlerContext,
): Promise<NewRoutes> {
  const references = bodies.map(({ modelId, targetDeploymentId }) => ({
    modelId,
    deploymentId: targetDeploymentId ?? null,
  }));
  const resolved = await resolveTargets(targets, references, callOptions(context));
  const routes: RouteDocument[] = [];
  const checkedTargets = new Map<string, CheckedTarget>();
  for (const [index, body] of bodies.entries()) {
    const prefix = prefixes[index] ?? "";
    const fields = { model: `${prefix}deploymentId`, deployment: `${prefix}targetDeploymentId` };
    const reference = references[index] as TargetReference;
    const target = await checkTarget(targets, resolved, reference, fields, scope, context);
    const route = createRoute(body, target, now());
    routes.push(route);
    checkedTargets.set(route.targetKey, target);
  }
  return { routes, targets: toTargets(checkedTargets) };
}

/** The ID of a schema in a request refers to its model, so targets are found by the ID of the model afterwards. */
function toTargets(checked: ReadonlyMap<string, CheckedTarget>): Targets {
  return {
    get({ modelId, deploymentId }) {
      const target = checked.get(getTargetKey(modelId, deploymentId));
      if (target === undefined) return undefined;
      const { model, deployment } = target;
      return create(ResolvedTargetSchema, { model, ...(deployment === undefined ? {} : { deployment }) });
    },
  };
}

/**
 * Checks the target of a route of a classifier with this scope, and returns it. The checks are made in this order: model unknown
 * (404), of another project (400), out of reach (403), without a schema (400); deployment unknown (404), of another model (400).
 */
export async function checkTarget(
  client: Dependencies["targets"],
  resolved: Targets,
  reference: TargetReference,
  fields: TargetFieldNames,
  scope: RouteScope,
  context: HandlerContext,
): Promise<CheckedTarget> {
  const found = resolved.get(reference);
  const model = checkModel(found?.model, reference, fields.model, scope, context);
  const { deploymentId } = reference;
  if (deploymentId === null) return { model, deployment: undefined };
  const deployment = await checkDeployment(client, found?.deployment, deploymentId, model, fields.deployment, context);
  return { model, deployment };
}

function checkModel(
  model: TargetModel | undefined,
  { modelId }: TargetReference,
  field: string,
  { projectId }: RouteScope,
  context: HandlerContext,
): TargetModel {
  const caller = getCaller(context);
  if (model === undefined || model.organizationId !== caller.organizationId) throw notFound("model", modelId, field);
  if (projectId !== null && model.projectId !== projectId) {
    throw invalidTarget(
      "MODEL_OF_ANOTHER_PROJECT",
      field,
      "A project classifier routes only to models of its own project.",
    );
  }
  requireReach(caller, model.projectId);
  if (model.schemaId === undefined) throw modelHasNoSchema(field);
  return model;
}

async function checkDeployment(
  client: Dependencies["targets"],
  deployment: TargetDeployment | undefined,
  deploymentId: string,
  model: TargetModel,
  field: string,
  context: HandlerContext,
): Promise<TargetDeployment> {
  if (deployment === undefined) throw notFound("deployment", deploymentId, field);
  if (deployment.modelId === model.id) return deployment;
  // A deployment of another organization does not exist for this caller.
  const owner = await client.resolveTargets({ targets: [{ modelId: deployment.modelId }] }, callOptions(context));
  if (owner.targets[0]?.model?.organizationId !== getCaller(context).organizationId) {
    throw notFound("deployment", deploymentId, field);
  }
  throw invalidTarget(
    "DEPLOYMENT_OF_ANOTHER_MODEL",
    field,
    `This deployment does not belong to the model “${model.name}”.`,
  );
}

function createRoute(body: RouteBody, target: CheckedTarget, createdAt: Date): RouteDocument {
  return {
    id: newId("rte"),
    name: body.name.trim() || getName(target),
    description: body.description,
    modelId: target.model.id,
    ...getTargetFields(target),
    projectId: target.model.projectId,
    minConfidence: body.minConfidence ?? null,
    enabled: body.enabled ?? true,
    createdAt,
  };
}

/** Returns the fields of a route that depend on its target. */
export function getTargetFields({
  model,
  deployment,
}: CheckedTarget): Pick<RouteDocument, "deploymentId" | "targetKey" | "lastKnown"> {
  const deploymentId = deployment?.id ?? null;
  return {
    deploymentId,
    targetKey: getTargetKey(model.id, deploymentId),
    lastKnown: { modelName: model.name, deploymentName: deployment?.name ?? null, projectName: model.projectName },
  };
}

function getName({ model, deployment }: CheckedTarget): string {
  return deployment?.name ?? model.name;
}
