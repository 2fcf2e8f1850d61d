import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ExecutionEventSchema,
  ExecutionSchema,
  ExecutionSummarySchema,
} from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type {
  Execution,
  ExecutionEvent,
  ExecutionSummary,
} from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { UsageSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { estimateHours } from "../../domain/summary/savings.ts";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import type { Plan } from "./plan.ts";

/** Returns the message of an execution as lists contain it, with the nine fields of the specification. */
export function toSummaryMessage(record: ExecutionRecord): ExecutionSummary {
  return create(ExecutionSummarySchema, toFields(record));
}

/** Returns the message of an execution with its plan. */
export function toExecutionMessage(record: ExecutionRecord, { configuration, files }: Plan): Execution {
  return create(ExecutionSchema, {
    ...toFields(record),
    projectId: record.projectId,
    fileIds: files.map(({ fileId }) => fileId),
    configuration,
    schemaId: configuration.schemaId ?? "",
    engine: record.engine,
    ...getState(record),
    ...getCosts(record),
    ...(record.startedAt === null ? {} : { startedAt: timestampFromDate(record.startedAt) }),
    ...(record.completedAt === null ? {} : { completedAt: timestampFromDate(record.completedAt) }),
  });
}

/** Returns the message for the progress of an execution. */
export function toEventMessage(record: ExecutionRecord): ExecutionEvent {
  return create(ExecutionEventSchema, { executionId: record._id, status: record.status, ...getState(record) });
}

function toFields(record: ExecutionRecord) {
  return {
    id: record._id,
    name: record.name,
    description: record.description,
    status: record.status,
    fileCount: record.fileCount,
    modelId: record.modelId,
    modelName: record.modelName,
    createdAt: timestampFromDate(record.createdAt),
    createdBy: record.createdBy,
  };
}

/** Returns what a language model used, and what the run saves. Older executions did not count it. */
function getCosts(record: ExecutionRecord) {
  const { done, typedCells, keystrokes, inputTokens, outputTokens } = record;
  const isCounted = done > 0 && typedCells !== undefined && keystrokes !== undefined;
  const cost = record.hasUnknownCost === true ? undefined : record.cost;
  return {
    ...(inputTokens === undefined || outputTokens === undefined
      ? {}
      : { usage: create(UsageSchema, { inputTokens, outputTokens, ...(cost === undefined ? {} : { cost }) }) }),
    ...(isCounted ? { savings: { cells: typedCells, hours: estimateHours({ cells: typedCells, keystrokes }) } } : {}),
  };
}

function getState({ fileCount, done, failed, error }: ExecutionRecord) {
  return {
    progress: { total: fileCount, done, failed },
    ...(error === null ? {} : { error: { code: error.code, message: error.message } }),
  };
}
