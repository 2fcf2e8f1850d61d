import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  ConfigurationService,
  ListModelsResponseSchema,
  ModelStatus,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  Configuration,
  ListModelsRequest,
  ListModelsResponse,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, problem, register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { DeploymentDocument, StoredStatus } from "../../store/configuration-documents.ts";
import { configurationMessage, modelMessage } from "../../store/configuration-messages.ts";
import { createDeployment } from "./create-deployment.ts";
import { createModel } from "./create-model.ts";
import { deleteModelOrDeployment } from "./delete-model-or-deployment.ts";
import type { Dependencies } from "../dependencies.ts";
import { diffConfigurations } from "../schemas/diff-configurations.ts";
import { listConfigurationVersions } from "../schemas/list-configuration-versions.ts";
import { targetOnPath } from "./path-target.ts";
import { projectOnPath } from "../projects/project-access.ts";
import { updateConfiguration } from "../schemas/update-configuration.ts";
import { setStatus, updateModelOrDeployment } from "./update-model-or-deployment.ts";

/** Implements ConfigurationService: the models of a project, their schemas, and their deployments. */
export function configurationService(dependencies: Dependencies): ServiceRegistration {
  const { configurations, identities } = dependencies;
  return register(ConfigurationService, {
    listModels: (request, context) => listModels(getCaller(context), request),
    createModel: (request, context) => createModel(dependencies, request, context),
    getConfiguration: (request, context) => getConfiguration(getCaller(context), request.targetId),
    updateConfiguration: (request, context) => updateConfiguration(dependencies, request, context),
    createDeployment: (request, context) => createDeployment(dependencies, request, context),
    pause: ({ targetId }, context) => setStatus(dependencies, { targetId, status: "PAUSED" }, context),
    resume: ({ targetId }, context) => setStatus(dependencies, { targetId, status: "ACTIVE" }, context),
    updateModelOrDeployment: (request, context) => updateModelOrDeployment(dependencies, request, context),
    deleteModelOrDeployment: (request, context) => deleteModelOrDeployment(dependencies, request, context),
    listConfigurationVersions: (request, context) =>
      listConfigurationVersions(dependencies, getCaller(context), request),
    diffConfigurations: (request, context) => diffConfigurations(dependencies, getCaller(context), request),
    getProjectSchema() {
      // The interceptor for removed methods ends calls before they arrive here. This is for a server without it.
      throw problem(
        Code.Unimplemented,
        "ENDPOINT_REMOVED",
        "A project holds many models, so no single schema describes it.",
      );
    },
  });

  async function listModels(caller: Caller, request: ListModelsRequest): Promise<ListModelsResponse> {
    const project = await projectOnPath(identities, caller, request.projectId);
    const [models, deployments] = await Promise.all([
      configurations.listProjectModels(project._id, statusFilter(request.status)),
      configurations.listProjectDeployments(project._id),
    ]);
    const deploymentsByModel = byModel(deployments);
    return create(ListModelsResponseSchema, {
      models: models.map((model) => modelMessage(model, deploymentsByModel.get(model._id) ?? [])),
    });
  }

  async function getConfiguration(caller: Caller, targetId: string): Promise<Configuration> {
    const target = await targetOnPath(configurations, caller, targetId);
    const { model } = target;
    if (target.kind === "schema") return configurationMessage({ kind: "model", document: model }, model, target.schema);
    const document =
      target.kind === "model"
        ? ({ kind: "model", document: model } as const)
        : ({ kind: "deployment", document: target.deployment } as const);
    const { schemaId } = document.document;
    const schema = schemaId === null ? null : await configurations.schema(schemaId);
    return configurationMessage(document, model, schema);
  }
}

function statusFilter(status: ListModelsRequest["status"]): StoredStatus | undefined {
  if (status === ModelStatus.UNSPECIFIED) return undefined;
  if (status === ModelStatus.ACTIVE) return "ACTIVE";
  if (status === ModelStatus.PAUSED) return "PAUSED";
  throw invalid([{ field: "status", message: "is not a model status" }]);
}

function byModel(deployments: readonly DeploymentDocument[]): ReadonlyMap<string, DeploymentDocument[]> {
  const groups = new Map<string, DeploymentDocument[]>();
  for (const deployment of deployments) {
    const group = groups.get(deployment.modelId);
    if (group === undefined) groups.set(deployment.modelId, [deployment]);
    else group.push(deployment);
  }
  return groups;
}
