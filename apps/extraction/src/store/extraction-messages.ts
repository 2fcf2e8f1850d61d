import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ExtractionSchema, ExtractionSummarySchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Extraction, ExtractionSummary } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { engine } from "../domain/engines/local/version.ts";
import type { StoredUsage } from "./extraction-documents.ts";
import type { ExtractionRecord, UsedEngine } from "./extractions.ts";
import { decodeTables } from "./tables.ts";
import { warningMessages } from "./warnings.ts";

/** Converts an extraction with its values, or without if `tables` is null, to its message. */
export function extractionMessage(record: ExtractionRecord, tables: Uint8Array | null): Extraction {
  return create(ExtractionSchema, { ...toFields(record), tables: tables === null ? [] : decodeTables(tables) });
}

/** Converts an extraction to its message in lists. */
export function summaryMessage(record: ExtractionRecord): ExtractionSummary {
  return create(ExtractionSummarySchema, toFields(record));
}

function toFields(record: ExtractionRecord) {
  return {
    id: record._id,
    fileId: record.fileId,
    projectId: record.projectId,
    modelId: record.modelId,
    ...(record.deploymentId === null ? {} : { targetDeploymentId: record.deploymentId }),
    schemaId: record.schemaId,
    status: record.status,
    createdAt: timestampFromDate(record.createdAt),
    ...(record.completedAt === null ? {} : { completedAt: timestampFromDate(record.completedAt) }),
    ...(record.error === null ? {} : { error: { code: record.error.code, message: record.error.message } }),
    warnings: warningMessages(record.warnings),
    ...(record.engine === undefined ? {} : { engine: toEngine(record.engine) }),
    ...(record.usage == null ? {} : { usage: toUsage(record.usage) }),
  };
}

function toEngine({ name = engine.name, version, modelName, learnedFrom }: UsedEngine) {
  return { name, version, learnedFrom, ...(modelName == null ? {} : { modelName }) };
}

/** Converts what a language model used to its message. */
export function toUsage({ inputTokens, outputTokens, cost }: StoredUsage) {
  return { inputTokens, outputTokens, ...(cost === null ? {} : { cost }) };
}
