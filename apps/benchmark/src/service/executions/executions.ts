import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { ServiceImpl } from "@connectrpc/connect";
import { assertProjectReach, getCaller } from "@switchyard/access";
import { toNote } from "@switchyard/change-feed";
import {
  CreateExecutionResponseSchema,
  DeleteExecutionResponseSchema,
  ExecutionStatus,
  ListExecutionsResponseSchema,
} from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { EngineVersion } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { callOptions, conflict, notFound, problem } from "@switchyard/rpc";
import { createUnheldLease, newId } from "@switchyard/storage";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import type { Dependencies } from "../dependencies.ts";
import { findExecution } from "../lookup.ts";
import { toExecutionMessage, toSummaryMessage } from "./messages.ts";
import { assertValid, loadFiles, loadModel } from "./new-execution.ts";
import { toPlanDocument, toPlan } from "./plan.ts";
import type { Plan } from "./plan.ts";

type Rpcs = Pick<
  ServiceImpl<typeof BenchmarkService>,
  "listExecutions" | "createExecution" | "getExecution" | "cancelExecution" | "deleteExecution"
>;

/** Creates the RPCs that create, read, cancel and delete executions. */
export function createExecutionRpcs(dependencies: Dependencies): Rpcs {
  const { executions, projects, targets, worker, now } = dependencies;

  async function findPlan(executionId: string): Promise<Plan> {
    const plan = await executions.findPlan(executionId);
    if (plan === null) throw executionNotFound(executionId);
    return toPlan(plan);
  }

  return {
    async listExecutions({ projectId }, context) {
      const caller = getCaller(context);
      await assertProjectReach(projects, caller, projectId, callOptions(context));
      const found = await executions.list(projectId, caller.organizationId);
      return create(ListExecutionsResponseSchema, { executions: found.map(toSummaryMessage) });
    },

    async createExecution(request, context) {
      const caller = getCaller(context);
      const options = callOptions(context);
      await assertProjectReach(projects, caller, request.projectId, options);
      assertValid(request);
      const model = await loadModel(dependencies, caller, request, options);
      const files = await loadFiles(dependencies, request, model.schemaId, options);
      const { engine } = files;
      if (engine === undefined)
        throw problem(Code.Internal, "INTERNAL", "The extraction service did not return its engine.");
      const configuration = await targets.getSchema({ schemaId: model.schemaId }, options);
      const record: ExecutionRecord = {
        _id: newId("bmk"),
        organizationId: caller.organizationId,
        projectId: request.projectId,
        modelId: model.id,
        modelName: model.name,
        name: request.name.trim(),
        description: request.description,
        status: ExecutionStatus.RUNNING,
        fileCount: files.files.length,
        done: 0,
        failed: 0,
        engine: toEngine(engine, configuration),
        error: null,
        lease: createUnheldLease(),
        createdAt: new Date(now()),
        createdBy: caller.userId,
        startedAt: null,
        progressAt: null,
        completedAt: null,
      };
      const { _id: executionId, modelId, fileCount, status } = record;
      const response = create(CreateExecutionResponseSchema, { executionId, modelId, fileCount, status });
      const { name, projectId, createdAt: at } = record;
      const changes = {
        ...{ name, projectId, deploymentId: modelId, fileCount },
        ...(request.schemaId === undefined ? {} : { extractionSchemaId: request.schemaId }),
      };
      const note = toNote(context, { at, targetId: executionId, changes });
      await executions.insert(record, toPlanDocument(configuration, files), { response, note });
      worker.wake();
      return response;
    },

    async getExecution({ executionId }, context) {
      const record = await findExecution(executions, getCaller(context), executionId);
      return toExecutionMessage(record, await findPlan(executionId));
    },

    async cancelExecution({ executionId }, context) {
      await findExecution(executions, getCaller(context), executionId);
      const plan = await findPlan(executionId);
      const toResponse = (record: ExecutionRecord) => toExecutionMessage(record, plan);
      const at = new Date(now());
      const changes = { status: { from: "RUNNING", to: "CANCELLED" } };
      const note = toNote(context, { at, targetId: executionId, changes });
      const record = await executions.cancel(executionId, at, { response: toResponse, note });
      if (record === null) throw executionNotFound(executionId);
      worker.abandon(executionId);
      return toResponse(record);
    },

    async deleteExecution({ executionId }, context) {
      const { name, projectId } = await findExecution(executions, getCaller(context), executionId);
      const note = toNote(context, { at: new Date(now()), targetId: executionId, changes: { name, projectId } });
      if (!(await executions.remove(executionId, { evenRunning: false, note }))) {
        if ((await executions.find(executionId)) === null) throw executionNotFound(executionId);
        throw conflict("EXECUTION_RUNNING", "A running execution cannot be deleted. Cancel it first.");
      }
      worker.wake();
      return create(DeleteExecutionResponseSchema);
    },
  };
}

/** Returns the engine of an execution. It learns from accepted files, cross-fitted, if the configuration lets it. */
function toEngine(
  { name, version, learnedFrom, modelName }: EngineVersion,
  configuration: Configuration,
): ExecutionRecord["engine"] {
  const learns = configuration.extractionSettings?.useExamples !== false && learnedFrom > 0;
  const model = modelName === undefined ? {} : { modelName };
  return { name, version, ...model, learnedFrom: learns ? learnedFrom : 0, crossFitted: learns };
}

function executionNotFound(executionId: string): Error {
  return notFound("execution", executionId, "executionId");
}
