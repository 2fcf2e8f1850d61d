import type { FailureReason } from "@switchyard/contracts/reasons";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createLeaseSchema, getCombinations, toHeldLeaseFilter } from "@switchyard/storage";
import type { Lease } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Review } from "../domain/review/review.ts";
import { reviewField } from "./values/review-field.ts";
import { warningsField } from "./warnings.ts";
import type { StoredWarning } from "./warnings.ts";

/** The reason why an extraction failed. */
export interface Failure {
  code: FailureReason;
  message: string;
}

/** The engine that extracted a document. */
export interface UsedEngine {
  /** Absent in extractions of earlier versions, which are those of the local engine. */
  name?: string | undefined;
  version: string;
  /** The language model; null or absent for the local engine. */
  modelName?: string | null | undefined;
  /** The number of accepted files from which it had learned. */
  learnedFrom: number;
}

/** What a language model used. The cost is null without prices. */
export interface StoredUsage {
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
}

/** The document of an extraction without its values. */
export interface ExtractionRecord {
  _id: string;
  fileId: string;
  projectId: string;
  organizationId: string;
  modelId: string;
  deploymentId: string | null;
  schemaId: string;
  status: ExtractionStatus;
  error: Failure | null;
  /** The engine that extracted the file. Absent while it runs, after failures, and in extractions of earlier versions. */
  engine?: UsedEngine | undefined;
  /** What a language model used. Absent while it runs, and for the local engine. */
  usage?: StoredUsage | null | undefined;
  /** The warnings of reading the file. Absent in extractions of earlier versions. */
  warnings?: StoredWarning[];
  lease: Lease;
  /** The number of attempts. */
  attempts: number;
  createdAt: Date;
  createdBy: string;
  completedAt: Date | null;
  /** Why a person should look at the values; null if not. Absent until completion, and in extractions of earlier versions. */
  review?: Review | null;
}

/** The result of an extraction. */
export type Outcome = ((ExtractedValues & { engine?: UsedEngine }) | { error: Failure }) & {
  /** What a language model used. */
  usage?: StoredUsage;
};

/** The values of an extraction. */
export interface ExtractedValues {
  tables: Uint8Array;
  /** Why a person should look at the values. Null or absent if not. */
  review?: Review | null;
}

/** The end of an extraction whose lease is held. */
export interface Ending {
  readonly extraction: Pick<ExtractionRecord, "_id" | "lease">;
  readonly outcome: Outcome;
  readonly at: Date;
}

/** A completed extraction. */
export interface Completion extends Ending {
  readonly extraction: ExtractionRecord;
  readonly outcome: CompletedOutcome;
}

/** The result of a completed extraction. */
export type CompletedOutcome = Exclude<Outcome, { error: Failure }>;

/** The stored form of an extraction. */
export type ExtractionDocument = ExtractionRecord & {
  position: string;
  tables?: Buffer | undefined;
  /** The version of what is derived from the values: the review and the current values. Absent until completion. */
  valuesVersion?: number;
};

/** The version of what is derived from values. Completed extractions without it are of earlier versions. */
export const currentVersion = 1;

/**
 * The fields by which lists can be filtered. Each combination has its own index in the order of the list, so that a list reads only what it
 * returns, even if many extractions match one of its filters.
 */
const listFields = getCombinations<keyof ExtractionRecord>(
  [[], ["fileId"]],
  [[], ["modelId"], ["deploymentId"]],
  [[], ["status"]],
);

/** The condition of the indexes of extractions by deployment, which their queries repeat. */
export const hasDeployment = { deploymentId: { $gt: "" } };

/** Creates the schema of extractions with their indexes. */
export function extractionSchema(): mongoose.Schema<ExtractionDocument> {
  const schema = new mongoose.Schema<ExtractionDocument>(
    {
      _id: { type: String, required: true },
      fileId: { type: String, required: true },
      projectId: { type: String, required: true },
      organizationId: { type: String, required: true },
      modelId: { type: String, required: true },
      deploymentId: { type: String, default: null },
      schemaId: { type: String, required: true },
      status: { type: Number, required: true },
      error: { type: new mongoose.Schema({ code: String, message: String }, { _id: false }), default: null },
      engine: {
        type: new mongoose.Schema(
          { name: String, version: String, modelName: String, learnedFrom: Number },
          { _id: false },
        ),
      },
      usage: {
        type: new mongoose.Schema({ inputTokens: Number, outputTokens: Number, cost: Number }, { _id: false }),
      },
      warnings: warningsField(),
      lease: { type: createLeaseSchema(), required: true },
      attempts: { type: Number, required: true },
      createdAt: { type: Date, required: true },
      createdBy: { type: String, default: "" },
      completedAt: { type: Date, default: null },
      position: { type: String, required: true },
      tables: { type: Buffer },
      review: reviewField(),
      valuesVersion: Number,
    },
    { versionKey: false },
  );
  for (const fields of listFields) {
    const key = Object.fromEntries(["projectId", ...fields].map((field) => [field, 1 as const]));
    const partial = fields.includes("deploymentId") ? { partialFilterExpression: hasDeployment } : {};
    schema.index({ ...key, position: -1 }, partial);
  }
  schema.index({ projectId: 1, completedAt: 1 });
  schema.index({ status: 1, "lease.until": 1 });
  schema.index({ status: 1, valuesVersion: 1 });
  return schema;
}

/** Returns the filter of a running extraction whose lease is held. */
export function toHeldFilter(id: string, lease: Lease) {
  return { _id: id, status: ExtractionStatus.RUNNING, ...toHeldLeaseFilter(lease) };
}

/** Returns the filter and the change that end an extraction. */
export function toEnd({ extraction: { _id, lease }, outcome, at }: Ending) {
  return [toHeldFilter(_id, lease), { $set: toEndFields(outcome, at) }] as const;
}

/** Returns the fields that an ended extraction has besides those of a running one, or with other values. */
export function toEndFields(outcome: Outcome, at: Date) {
  const end =
    "error" in outcome
      ? { status: ExtractionStatus.FAILED, error: outcome.error }
      : {
          status: ExtractionStatus.COMPLETED,
          tables: Buffer.from(outcome.tables),
          review: outcome.review ?? null,
          engine: outcome.engine,
          valuesVersion: currentVersion,
        };
  return { ...end, ...(outcome.usage && { usage: outcome.usage }), completedAt: at };
}
