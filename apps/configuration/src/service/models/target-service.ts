import { create } from "@bufbuild/protobuf";
import {
  ResolvedTargetSchema,
  ResolveTargetsResponseSchema,
  TargetDeploymentSchema,
  TargetModelSchema,
  TargetService,
} from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  ResolvedTarget,
  TargetDeployment,
  TargetModel,
  TargetReference,
} from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { invalid, notFound, register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { extractedColumnNames } from "../../domain/schemas/schema-content.ts";
import type { DeploymentDocument, ModelDocument } from "../../store/configuration-documents.ts";
import { configurationMessage, schemaContent } from "../../store/configuration-messages.ts";
import type { Dependencies } from "../dependencies.ts";

const maxTargets = 1000;

/** Implements TargetService, which tells other services about the targets of routes. */
export function targetService({ configurations, identities }: Dependencies): ServiceRegistration {
  return register(TargetService, {
    async resolveTargets({ targets }) {
      if (targets.length > maxTargets) {
        throw invalid([{ field: "targets", message: `must have at most ${maxTargets} entries` }]);
      }
      return create(ResolveTargetsResponseSchema, { targets: await resolve(targets) });
    },
    getSchema: ({ schemaId }) => getSchema(schemaId),
  });

  /** Resolves targets with at most seven queries, however many there are. */
  async function resolve(references: readonly TargetReference[]): Promise<ResolvedTarget[]> {
    const modelIds = references.map((reference) => reference.modelId).filter((id) => id !== "");
    const deploymentIds = references.map((reference) => reference.deploymentId).filter((id) => id !== "");
    const [named, schemasNamed, deployments] = await Promise.all([
      configurations.models(modelIds),
      configurations.getModelIdsBySchema(modelIds),
      configurations.deployments(deploymentIds),
    ]);
    const models = [...named, ...(await configurations.models([...schemasNamed.values()]))];
    const modelById = new Map(models.map((model) => [model._id, model]));
    const deploymentById = new Map(deployments.map((deployment) => [deployment._id, deployment]));
    const missing = [
      ...modelIds.filter((id) => !modelById.has(schemasNamed.get(id) ?? id)),
      ...deploymentIds.filter((id) => !deploymentById.has(id)),
    ];
    const [columnNames, projectNames, lastNames] = await Promise.all([
      getColumnNames([...models, ...deployments]),
      getProjectNames([...models, ...deployments]),
      configurations.lastNames(missing),
    ]);
    return references.map((reference) => {
      const model = modelById.get(schemasNamed.get(reference.modelId) ?? reference.modelId);
      const deployment = deploymentById.get(reference.deploymentId);
      // The models and deployments of a deleted project may be removed later than the project.
      const projectName = model && projectNames.get(model.projectId);
      const isServed = deployment !== undefined && projectNames.has(deployment.projectId);
      return create(ResolvedTargetSchema, {
        ...(model && projectName !== undefined
          ? { model: targetModel(model, columnNames, projectName) }
          : { deletedModelName: model?.name ?? lastNames.get(reference.modelId) ?? "" }),
        ...(isServed
          ? { deployment: targetDeployment(deployment, columnNames) }
          : { deletedDeploymentName: deployment?.name ?? lastNames.get(reference.deploymentId) ?? "" }),
      });
    });
  }

  async function getColumnNames(
    served: readonly { readonly schemaId: string | null }[],
  ): Promise<ReadonlyMap<string, string[]>> {
    const schemas = await configurations.schemas(served.flatMap(({ schemaId }) => schemaId ?? []));
    return new Map(schemas.map((schema) => [schema._id, extractedColumnNames(schemaContent(schema))]));
  }

  async function getProjectNames(
    targets: readonly { readonly projectId: string }[],
  ): Promise<ReadonlyMap<string, string>> {
    const projects = await identities.projects([...new Set(targets.map(({ projectId }) => projectId))]);
    return new Map(projects.map((project) => [project._id, project.name]));
  }

  async function getSchema(schemaId: string): Promise<Configuration> {
    const schema = await configurations.schema(schemaId);
    const model = schema === null ? null : await configurations.model(schema.modelId);
    if (schema === null || model === null) throw notFound("schema", schemaId, "schemaId");
    return configurationMessage({ kind: "model", document: model }, model, schema);
  }
}

function targetModel(
  model: ModelDocument,
  columnNames: ReadonlyMap<string, string[]>,
  projectName: string,
): TargetModel {
  return create(TargetModelSchema, {
    id: model._id,
    name: model.name,
    status: ModelStatus[model.status],
    organizationId: model.organizationId,
    projectId: model.projectId,
    projectName,
    ...(model.schemaId === null ? {} : { schemaId: model.schemaId }),
    columnNames: model.schemaId === null ? [] : (columnNames.get(model.schemaId) ?? []),
  });
}

function targetDeployment(
  deployment: DeploymentDocument,
  columnNames: ReadonlyMap<string, string[]>,
): TargetDeployment {
  return create(TargetDeploymentSchema, {
    id: deployment._id,
    name: deployment.name,
    status: ModelStatus[deployment.status],
    modelId: deployment.modelId,
    schemaId: deployment.schemaId,
    columnNames: columnNames.get(deployment.schemaId) ?? [],
  });
}
