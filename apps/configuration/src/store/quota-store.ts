import { defaultQuotas } from "@switchyard/storage";
import type { Quotas } from "@switchyard/storage";
import { Schema } from "mongoose";
import type { Connection } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** The quotas that were set for an organization. The defaults apply to those that are absent. */
type QuotaDocument = { _id: string } & Partial<Quotas>;

/** New values of quotas. Null restores the default. */
export type QuotaChanges = { readonly [Name in keyof Quotas]?: number | null };

/** Stores the quotas of organizations. */
export interface QuotaStore {
  /** Returns the quotas of an organization: those that were set for it, and otherwise the defaults. */
  get(organizationId: string): Promise<Quotas>;
  /** Changes the quotas of an organization. */
  set(organizationId: string, changes: QuotaChanges): Promise<void>;
}

/** Creates the store of quotas in a service's database. */
export function createQuotaStore(connection: Connection): QuotaStore {
  const quotas = registeredModel(connection, "quotas", () => {
    const maximum = { type: Number } as const;
    const fields = { classifiers: maximum, models: maximum, schemaVersions: maximum, storedBytes: maximum };
    return new Schema<QuotaDocument>({ _id: { type: String, required: true }, ...fields }, { versionKey: false });
  });
  return {
    async get(organizationId) {
      const { _id, ...set } = (await quotas.findOne({ _id: organizationId }).lean<QuotaDocument>()) ?? { _id: "" };
      return { ...defaultQuotas, ...set };
    },
    async set(organizationId, changes) {
      const set = Object.entries(changes).filter(([, value]) => value !== null);
      const unset = Object.entries(changes).filter(([, value]) => value === null);
      const update = {
        ...(set.length === 0 ? {} : { $set: Object.fromEntries(set) }),
        ...(unset.length === 0 ? {} : { $unset: Object.fromEntries(unset.map(([name]) => [name, 1])) }),
      };
      if (Object.keys(update).length > 0) await quotas.updateOne({ _id: organizationId }, update, { upsert: true });
    },
  };
}
