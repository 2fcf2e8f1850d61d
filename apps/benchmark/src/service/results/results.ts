import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Value } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  CellOutcome,
  CellResultSchema,
  FileResultSchema,
  FileResultStatus,
  FileResultSummarySchema,
  ListFileResultsResponseSchema,
} from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { UsageSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { BenchmarkService, CellResult } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Evidence } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Scalar } from "@switchyard/matching";
import { notFound } from "@switchyard/rpc";
import { openPage } from "@switchyard/storage";
import type { Outcome } from "../../domain/cells/cell-counts.ts";
import type { Usage } from "@switchyard/statistics";
import type { CellScore } from "../../domain/tables/table-score.ts";
import { toEntry } from "../../store/results.ts";
import type { ResultRecord } from "../../store/results.ts";
import type { Dependencies } from "../dependencies.ts";
import { findExecution } from "../lookup.ts";
import { unpackPlaces } from "../runs/cell-places.ts";

type Rpcs = Pick<ServiceImpl<typeof BenchmarkService>, "getMetrics" | "listFileResults" | "getFileResult">;

/** Creates the RPCs that read metrics and results. */
export function createResultRpcs({ executions, results, metrics, pageTokens }: Dependencies): Rpcs {
  return {
    async getMetrics({ executionId }, context) {
      return metrics(await findExecution(executions, getCaller(context), executionId));
    },

    async listFileResults(request, context) {
      const { executionId, status } = request;
      await findExecution(executions, getCaller(context), executionId);
      const query = { list: "results", executionId, status };
      const page = openPage(pageTokens, query, request);
      const after = Number(page.after ?? -1);
      const entries = new Set(await executions.listFinished(executionId));
      const wanted = status === FileResultStatus.UNSPECIFIED ? undefined : status;
      const found: ResultRecord[] = [];
      for await (const record of results.list(executionId, { status: wanted, after, batch: page.size + 1 })) {
        // Results of a worker that had lost its lease do not count.
        if (entries.has(toEntry(record))) found.push(record);
        if (found.length > page.size) break;
      }
      const { items, ...next } = page.take(found, ({ place }) => String(place));
      return create(ListFileResultsResponseSchema, {
        files: items.map((record) => create(FileResultSummarySchema, toFields(record))),
        ...next,
      });
    },

    async getFileResult({ executionId, fileId }, context) {
      await findExecution(executions, getCaller(context), executionId);
      const entries = new Set(await executions.listFinished(executionId));
      const candidates = await results.listByFile(executionId, fileId);
      const record = candidates.find((candidate) => entries.has(toEntry(candidate)));
      const score = record === undefined ? null : await results.findScore(record);
      if (record === undefined || score === null) throw notFound("result", fileId, "fileId");
      const packed = await results.findPlaces(record);
      const places = packed === null ? [] : await unpackPlaces(packed);
      const cells = score.cells.map((cell, index) => toCellMessage(cell, places[index]));
      return create(FileResultSchema, { ...toFields(record), cells });
    },
  };
}

function toFields(record: ResultRecord) {
  const { correct, correctlyEmpty, wrong, invented, missing } = record.outcomes;
  const cells = correct + correctlyEmpty + wrong + invented + missing;
  return {
    fileId: record.fileId,
    filename: record.filename,
    status: record.status,
    ...(record.error === null ? {} : { error: { code: record.error.code, message: record.error.message } }),
    outcomes: { correct, correctlyEmpty, wrong, invented, missing },
    ...(cells === 0 ? {} : { successRate: (correct + correctlyEmpty) / cells }),
    ...(record.status === FileResultStatus.LEFT_OUT ? {} : { anls: record.anls }),
    exact: record.exact,
    ...(record.extractMs === null ? {} : { extractMs: record.extractMs }),
    ...(record.usage ? { usage: toUsageMessage(record.usage) } : {}),
    excludedFileIds: record.excludedFileIds,
  };
}

function toUsageMessage({ inputTokens, outputTokens, cost }: Usage) {
  return create(UsageSchema, { inputTokens, outputTokens, ...(cost === null ? {} : { cost }) });
}

const outcomes: Readonly<Record<Outcome, CellOutcome>> = {
  correct: CellOutcome.CORRECT,
  correctlyEmpty: CellOutcome.CORRECTLY_EMPTY,
  wrong: CellOutcome.WRONG,
  invented: CellOutcome.INVENTED,
  missing: CellOutcome.MISSING,
};

function toCellMessage(cell: CellScore, evidence: Evidence | undefined): CellResult {
  const { table, row, column, columnId, sharedId, expected, actual, outcome, similarity } = cell;
  return create(CellResultSchema, {
    table,
    row,
    column,
    columnId,
    ...(sharedId === null ? {} : { sharedId }),
    expected: toValueMessage(expected),
    actual: toValueMessage(actual),
    outcome: outcomes[outcome],
    similarity,
    ...(evidence === undefined ? {} : { evidence }),
  });
}

function toValueMessage(value: Scalar): Value {
  switch (typeof value) {
    case "string":
      return create(ValueSchema, { kind: { case: "stringValue", value } });
    case "number":
      return create(ValueSchema, { kind: { case: "numberValue", value } });
    case "boolean":
      return create(ValueSchema, { kind: { case: "boolValue", value } });
    default:
      return create(ValueSchema, { kind: { case: "nullValue", value: 0 } });
  }
}
