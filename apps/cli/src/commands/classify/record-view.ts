import type { Classification, ClassificationReview, SecondOpinion } from "@switchyard/client";
import { fields, table, type Column, type View } from "@switchyard/terminal";
import { warningFields } from "../documents/warning-fields.ts";

/** The columns of classifications. */
export const recordColumns: readonly Column[] = [
  { title: "id", content: "id" },
  { title: "document", content: "text" },
  { title: "status" },
  { title: "route", content: "text" },
  { title: "confidence", right: true },
  { title: "deployment", content: "text" },
  { title: "reason" },
  { title: "created", content: "time" },
];

/** Formats a classification as a row of these columns. */
export function recordRow(record: Classification) {
  const { id, filename, status, routeName, confidence, deploymentName, reason, createdAt } = record;
  return [id, filename, status, routeName, confidence?.toFixed(2), deploymentName, reason?.code, createdAt];
}

/** Formats the name of an engine, with its language model if it has one. */
export function nameEngine(name: string, modelName: string | null | undefined): string {
  return modelName == null ? name : `${name}: ${modelName}`;
}

function describeOpinion({ name, modelName, outcome }: SecondOpinion): string {
  return `${nameEngine(name, modelName)} (${outcome ?? "unknown"})`;
}

function describeReview({ scores }: Classification, { routeId, reviewedBy, reviewedAt }: ClassificationReview): string {
  // A route that was added after the classification has no score.
  const scored = scores.find((score) => score.routeId === routeId);
  return `${routeId === null ? "no route" : (scored?.routeName ?? routeId)} (${reviewedBy}, ${reviewedAt})`;
}

/** Formats a classification with all scores. */
export function recordView(record: Classification): View {
  return [
    fields(
      ["id", record.id],
      ["document", record.filename],
      ["file", record.fileId],
      ["project", record.projectId],
      ["status", record.status],
      ["reason", record.reason === null ? null : `${record.reason.code}: ${record.reason.message}`],
      ["route", record.routeName],
      ["model", record.deploymentId],
      ["deployment", record.deploymentName],
      ["schema", record.extractionSchemaId],
      ["confidence", record.confidence],
      ["threshold", record.threshold],
      ["engine", record.engine && nameEngine(record.engine.name, record.engine.modelName)],
      ["second opinion", record.engine?.secondOpinion && describeOpinion(record.engine.secondOpinion)],
      ["extraction", record.extraction?.id],
      ["review", record.review && describeReview(record, record.review)],
      ["created", record.createdAt],
      ...warningFields(record),
    ),
    table(
      [{ title: "route", content: "text" }, { title: "score", right: true }, { title: "excluded" }],
      record.scores.map(({ routeName, score, ineligibleReason }) => [routeName, score?.toFixed(4), ineligibleReason]),
    ),
  ];
}
