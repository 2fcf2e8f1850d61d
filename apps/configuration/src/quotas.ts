import type { Quotas, Storage } from "@switchyard/storage";
import { createQuotaStore } from "./store/quota-store.ts";
import type { QuotaChanges } from "./store/quota-store.ts";

export type { QuotaChanges } from "./store/quota-store.ts";

/** Changes the quotas of an organization in this database, and returns all of them. They take effect within five seconds. */
export async function setQuotas(storage: Storage, organizationId: string, changes: QuotaChanges): Promise<Quotas> {
  const quotas = createQuotaStore(storage.connection);
  await quotas.set(organizationId, changes);
  return quotas.get(organizationId);
}
