import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** An administrative change, or the refusal of one. Never changed once it is stored. */
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
  /** A JSON object, as text: its keys are nobody's field names. */
  changes: string;
}

/** Registers the collection of the audit trail with a connection, once. */
export function auditModel(connection: Connection): Model<AuditDocument> {
  return registeredModel(connection, "audit", auditSchema);
}

function auditSchema(): Schema<AuditDocument> {
  const text = { type: String, required: true, immutable: true } as const;
  return new Schema<AuditDocument>(
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
  )
    .index({ organizationId: 1, _id: 1 })
    .index({ organizationId: 1, targetId: 1, _id: 1 });
}
