import { createLeaseSchema } from "@switchyard/storage";
import type { Lease } from "@switchyard/storage";
import type { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import mongoose from "mongoose";

/** Why a run failed. */
export interface Failure {
  code: string;
  message: string;
}

/** An execution, as its document; what was fixed at its creation is in its plan. */
export interface ExecutionRecord {
  _id: string;
  organizationId: string;
  projectId: string;
  modelId: string;
  /** The model's name when the run was created. */
  modelName: string;
  name: string;
  description: string;
  status: ExecutionStatus;
  fileCount: number;
  /** Finished files, failed ones included: as many as there are results. */
  done: number;
  failed: number;
  engine: { name: string; version: string };
  error: Failure | null;
  lease: Lease;
  createdAt: Date;
  createdBy: string;
  /** When the first worker took it. */
  startedAt: Date | null;
  /** When a file was last finished, or the first worker came; null before. */
  progressAt: Date | null;
  completedAt: Date | null;
}

/** An execution as it is stored. */
export interface ExecutionDocument extends ExecutionRecord {
  /** The entries of the results that count. */
  finished: number[];
}

/** What is fixed when an execution is created: the bytes of a Configuration, and those of a ListAcceptedFilesResponse. */
export interface PlanDocument {
  _id: string;
  configuration: Buffer;
  files: Buffer;
}

/** The id of an execution that is gone and whose results may still be there. */
export interface RemovalDocument {
  _id: string;
}

/** The schema of executions. */
export function executionSchema(): mongoose.Schema<ExecutionDocument> {
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
      engine: { type: new mongoose.Schema({ name: String, version: String }, { _id: false }), required: true },
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
  schema.index({ status: 1, "lease.until": 1 });
  schema.index({ status: 1, progressAt: 1 });
  return schema;
}

/** The schema of plans. */
export function planSchema(): mongoose.Schema<PlanDocument> {
  return new mongoose.Schema<PlanDocument>(
    {
      _id: { type: String, required: true },
      configuration: { type: Buffer, required: true },
      files: { type: Buffer, required: true },
    },
    { versionKey: false },
  );
}

/** The schema of removals. */
export function removalSchema(): mongoose.Schema<RemovalDocument> {
  return new mongoose.Schema<RemovalDocument>({ _id: { type: String, required: true } }, { versionKey: false });
}
