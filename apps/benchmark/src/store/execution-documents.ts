import { createLeaseSchema } from "@switchyard/storage";
import type { Lease } from "@switchyard/storage";
import type { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import mongoose from "mongoose";

/** The reason why an execution or a file failed. */
export interface Failure {
  code: string;
  message: string;
}

/** An execution without its plan. */
export interface ExecutionRecord {
  _id: string;
  organizationId: string;
  projectId: string;
  modelId: string;
  /** The name of the model when the execution was created. */
  modelName: string;
  name: string;
  description: string;
  status: ExecutionStatus;
  fileCount: number;
  /** The number of finished files, including failed ones. */
  done: number;
  /** The number of failed files. */
  failed: number;
  /** The number of finished files that were left out, because no cell of them is labeled. Absent from older executions. */
  leftOut?: number;
  /** The number of correct values in the finished files, and of the keystrokes for them. Absent from older executions. */
  typedCells?: number;
  keystrokes?: number;
  /** What a language model used for the finished files. Absent if the engine has none; the cost is also absent if it has no prices. */
  inputTokens?: number;
  outputTokens?: number;
  cost?: number;
  /** Whether some of them used tokens whose price is not known, so that `cost` is too low. */
  hasUnknownCost?: boolean;
  /**
   * The engine, with the number of accepted files from which it could learn, and whether what it learned was cross-fitted. The last two are
   * absent from older executions.
   */
  engine: { name: string; version: string; modelName?: string; learnedFrom?: number; crossFitted?: boolean };
  error: Failure | null;
  lease: Lease;
  createdAt: Date;
  createdBy: string;
  /** The time when the first worker acquired it. */
  startedAt: Date | null;
  /** The time when a file was last finished or the first worker acquired it. */
  progressAt: Date | null;
  completedAt: Date | null;
}

/** The stored form of an execution. */
export interface ExecutionDocument extends ExecutionRecord {
  /** The entries of the results that count (see `toEntry`). */
  finished: number[];
}

/** The plan of an execution: the bytes of a Configuration and of a ListAcceptedFilesResponse. */
export interface PlanDocument {
  _id: string;
  configuration: Buffer;
  files: Buffer;
}

/** The ID of a deleted execution whose results may still exist. */
export interface RemovalDocument {
  _id: string;
}

/** Creates the schema of executions. */
export function createExecutionSchema(): mongoose.Schema<ExecutionDocument> {
  const schema = new mongoose.Schema<ExecutionDocument>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      projectId: { type: String, required: true },
      modelId: { type: String, required: true },
      modelName: { type: String, required: true },
      name: { type: String, required: true },
      description: { type: String, default: "" },
      status: { type: Number, required: true },
      fileCount: { type: Number, required: true },
      done: { type: Number, required: true },
      failed: { type: Number, required: true },
      leftOut: { type: Number, default: 0 },
      typedCells: Number,
      keystrokes: Number,
      inputTokens: Number,
      outputTokens: Number,
      cost: Number,
      hasUnknownCost: Boolean,
      engine: {
        type: new mongoose.Schema(
          {
            name: String,
            version: String,
            modelName: String,
            learnedFrom: { type: Number, default: 0 },
            crossFitted: { type: Boolean, default: false },
          },
          { _id: false },
        ),
        required: true,
      },
      error: { type: new mongoose.Schema({ code: String, message: String }, { _id: false }), default: null },
      lease: { type: createLeaseSchema(), required: true },
      createdAt: { type: Date, required: true },
      createdBy: { type: String, default: "" },
      startedAt: { type: Date, default: null },
      progressAt: { type: Date, default: null },
      completedAt: { type: Date, default: null },
      finished: { type: [Number], required: true },
    },
    { versionKey: false },
  );
  schema.index({ projectId: 1, _id: 1 });
  schema.index({ projectId: 1, createdAt: 1 });
  schema.index({ projectId: 1, completedAt: 1 });
  schema.index({ status: 1, "lease.until": 1 });
  schema.index({ status: 1, progressAt: 1 });
  return schema;
}

/** Creates the schema of plans. */
export function createPlanSchema(): mongoose.Schema<PlanDocument> {
  return new mongoose.Schema<PlanDocument>(
    {
      _id: { type: String, required: true },
      configuration: { type: Buffer, required: true },
      files: { type: Buffer, required: true },
    },
    { versionKey: false },
  );
}

/** Creates the schema of removals. */
export function createRemovalSchema(): mongoose.Schema<RemovalDocument> {
  return new mongoose.Schema<RemovalDocument>({ _id: { type: String, required: true } }, { versionKey: false });
}
