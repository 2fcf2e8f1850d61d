import { fromJson, toJson } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import { ClassificationSchema, ReasonCode } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Classification } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getCombinations } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Model } from "mongoose";
import type { RecordedChoice } from "../domain/engines/recorded-choice.ts";
import type { ReviewNeed } from "../domain/review/review-need.ts";
import type { FileInProject } from "../domain/review/reviewed-file.ts";

/** The work that remains for a record: its file is to be moved to its project and, if wanted, extracted. */
export interface Placement {
  /** The file that was classified. */
  sourceFileId: string;
  /** Whether the file is to be extracted too. */
  extract: boolean;
  /** The time after which a sweep does it. */
  dueAt: Date;
  /** Where the file belongs according to a review. Undefined for the decision of the record itself. */
  review?: ReviewedTarget;
}

/** The target of the route that a person chose for a document. */
export interface ReviewedTarget {
  /** The file of the document in the project of the target. */
  fileId: string;
  projectId: string;
  modelId: string;
  deploymentId?: string;
  /** Empty if the document is not extracted. */
  schemaId: string;
  /** Empty if the document is not extracted. */
  extractionId: string;
  createdBy: string;
}

/** A record with the data that only the service needs. */
export interface ClassificationRecord {
  classification: Classification;
  organizationId: string;
  /** The token that it was created with. */
  tokenId: string;
  /** The project of its document, whose callers may read it; null if there is none. */
  projectId: string | null;
  /** Undefined when nothing remains to be done. */
  placement?: Placement | undefined;
  /** Undefined if nobody needs to look at the record, or somebody has. */
  reviewNeed?: ReviewNeed | undefined;
  /** The files of the document in other projects: the one that was given, and those that reviews placed. Undefined if there are none. */
  placedFiles?: readonly FileInProject[] | undefined;
  /** The routes that language models chose. Undefined if none was asked. */
  choices?: readonly RecordedChoice[] | undefined;
  /** How many times files were deleted that a review was reading. Undefined if none was. */
  deletions?: number | undefined;
}

/** The prefix of the IDs of records. The time of a record is that of its ID. */
export const idPrefix = "cls";

/** The document of a record. */
export interface ClassificationDocument {
  _id: string;
  organizationId: string;
  tokenId: string;
  classifierId: string;
  projectId: string | null;
  status: number;
  reason: number;
  routeId: string | null;
  externalId: string | null;
  /** The file. Absent in records of earlier versions, and in those that nobody needs to look at. */
  fileId?: string;
  placement?: Placement;
  reviewNeed?: ReviewNeed;
  /** The time at which the record was last reviewed, or its review taken back. Absent if neither happened, or by an earlier version. */
  reviewChangedAt?: Date;
  placedFiles?: FileInProject[];
  choices?: RecordedChoice[];
  /** The files that a review is reading, or was reading when it failed. */
  reviewing?: string[];
  deletions?: number;
  /** The record in the JSON of the contract. */
  record: Record<string, unknown>;
}

/**
 * The combinations of fields that lists are filtered by. Each has an index in the order of the list, so that a list reads only the
 * records that it returns, however many match only one of its filters. A query filters by at most one of status, reason and route,
 * because a reason and a route imply the status.
 */
const listFields = getCombinations<keyof ClassificationDocument>(
  [[], ["tokenId"], ["projectId"]],
  [[], ["externalId"]],
  [[], ["status"], ["reason"], ["routeId"]],
);

/**
 * The filters of the list of a project, each with an index. With a classifier, the indexes of its list are used. A query filters by at most
 * one of status and reason.
 */
const projectListFields = [[], ["status"], ["reason"]] as const satisfies (keyof ClassificationDocument)[][];

/** The conditions of the partial indexes, which contain only records that have the fields. Queries repeat the conditions. */
export const isPresent = {
  projectId: { $gt: "" },
  externalId: { $gt: "" },
  reason: { $gt: ReasonCode.UNSPECIFIED },
  routeId: { $gt: "" },
} as const;

/** The condition of the indexes of records that somebody should look at, which queries repeat. */
export const isListed = { $gt: 0 } as const;

/** The condition of the index of reviewed records, which queries repeat. */
export const isReviewed = { $gt: new Date(0) } as const;

/** The fields of a choice in a document. */
export const choiceFields = {
  _id: false,
  engine: String,
  modelName: String,
  version: String,
  routeId: String,
};

/** Declares the collection of records, with its indexes. */
export function classificationModel(storage: Storage): Model<ClassificationDocument> {
  const schema = new mongoose.Schema<ClassificationDocument>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      tokenId: { type: String, required: true },
      classifierId: { type: String, required: true },
      projectId: { type: String, default: null },
      status: { type: Number, required: true },
      reason: { type: Number, required: true },
      routeId: { type: String, default: null },
      externalId: { type: String, default: null },
      fileId: String,
      placement: {
        type: {
          _id: false,
          sourceFileId: String,
          extract: Boolean,
          dueAt: Date,
          review: { type: mongoose.Schema.Types.Mixed, default: undefined },
        },
        default: undefined,
      },
      reviewChangedAt: Date,
      reviewNeed: { type: { _id: false, rank: Number, code: String, message: String }, default: undefined },
      placedFiles: { type: [{ _id: false, projectId: String, fileId: String }], default: undefined },
      choices: { type: [choiceFields], default: undefined },
      reviewing: { type: [String], default: undefined },
      deletions: Number,
      record: { type: mongoose.Schema.Types.Mixed, required: true },
    },
    { versionKey: false, minimize: false },
  );
  const keys = [
    ...listFields.map((fields) => ["classifierId", ...fields, "_id"]),
    ...projectListFields.map((fields) => ["projectId", ...fields, "_id"]),
  ];
  for (const fields of keys) {
    const present = Object.fromEntries(Object.entries(isPresent).filter(([field]) => fields.includes(field)));
    const key = Object.fromEntries(fields.map((field) => [field, 1 as const]));
    schema.index(key, Object.keys(present).length === 0 ? {} : { partialFilterExpression: present });
  }
  schema.index({ "placement.dueAt": 1 }, { sparse: true });
  const needsReview = { partialFilterExpression: { "reviewNeed.rank": isListed } };
  schema.index({ projectId: 1, "reviewNeed.rank": -1, _id: -1 }, needsReview);
  schema.index({ classifierId: 1, projectId: 1, "reviewNeed.rank": -1, _id: -1 }, needsReview);
  schema.index({ fileId: 1 }, needsReview);
  schema.index({ reviewing: 1 }, { sparse: true });
  schema.index({ projectId: 1, reviewChangedAt: 1 }, { partialFilterExpression: { reviewChangedAt: isReviewed } });
  return storage.connection.model<ClassificationDocument>("Classification", schema, "classifications");
}

/** Converts the document of a record. */
export function toRecord(document: ClassificationDocument): ClassificationRecord {
  return {
    classification: fromJson(ClassificationSchema, document.record as JsonValue),
    organizationId: document.organizationId,
    tokenId: document.tokenId,
    projectId: document.projectId,
    placement: document.placement,
    reviewNeed: document.reviewNeed,
    placedFiles: document.placedFiles,
    choices: document.choices,
    deletions: document.deletions,
  };
}

/** Converts a new record to its document. */
export function toDocument(record: ClassificationRecord): ClassificationDocument {
  const {
    classification,
    organizationId,
    tokenId,
    projectId,
    placement,
    reviewNeed,
    placedFiles,
    choices = [],
  } = record;
  return {
    _id: classification.id,
    organizationId,
    tokenId,
    classifierId: classification.classifierId,
    projectId,
    status: classification.status,
    reason: classification.reason?.code ?? ReasonCode.UNSPECIFIED,
    routeId: classification.routeId ?? null,
    externalId: classification.externalId ?? null,
    ...(placement === undefined ? {} : { placement }),
    ...(reviewNeed === undefined ? {} : { reviewNeed, fileId: classification.fileId }),
    ...(placedFiles === undefined ? {} : { placedFiles: [...placedFiles] }),
    ...(choices.length === 0 ? {} : { choices: [...choices] }),
    record: toJson(ClassificationSchema, classification) as Record<string, unknown>,
  };
}
