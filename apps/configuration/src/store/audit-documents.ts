import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { getCombinations } from "@switchyard/storage";
import { registeredModel } from "./registered-model.ts";

/** An administrative change, or the refusal of one. It is immutable. */
export interface AuditDocument {
  _id: string;
  organizationId: string;
  at: Date;
  action: string;
  outcome: "DONE" | "REFUSED";
  tokenId: string;
  userId: string;
  targetId: string | null;
  requestId: string;
  /** A JSON object as text, because its keys are not names of stored fields. */
  changes: string;
}

/**
 * The fields by which the trail can be filtered. Each combination has its own index in the order of the list, so that a query reads only
 * what it returns, even if many entries match one of its filters.
 */
const listFields = getCombinations<keyof AuditDocument>(
  [[], ["tokenId"], ["userId"]],
  [[], ["action"]],
  [[], ["targetId"]],
);

/** Registers the collection of the audit trail with a connection, once. */
export function auditModel(connection: Connection): Model<AuditDocument> {
  return registeredModel(connection, "audit", auditSchema);
}

function auditSchema(): Schema<AuditDocument> {
  const text = { type: String, required: true, immutable: true } as const;
  const schema = new Schema<AuditDocument>(
    {
      _id: text,
      organizationId: text,
      at: { type: Date, required: true, immutable: true },
      action: text,
      outcome: text,
      tokenId: text,
      userId: text,
      targetId: { type: String, default: null, immutable: true },
      requestId: { type: String, default: "", immutable: true },
      changes: text,
    },
    { versionKey: false },
  );
  for (const fields of listFields) {
    const key = Object.fromEntries(["organizationId", ...fields].map((field) => [field, 1 as const]));
    schema.index({ ...key, at: -1, _id: -1 });
  }
  return schema;
}
