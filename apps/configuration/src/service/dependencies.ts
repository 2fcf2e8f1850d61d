import type { Engines } from "@switchyard/engines";
import type { Logger } from "@switchyard/rpc";
import type { PageTokens, QuotaLookup } from "@switchyard/storage";
import type { Administer } from "../store/administration.ts";
import type { AuditStore } from "../store/audit-store.ts";
import type { ConfigurationStore } from "../store/configuration-store.ts";
import type { IdentityStore } from "../store/identity-store.ts";
import type { QuotaStore } from "../store/quota-store.ts";
import type { TokenDigests } from "./tokens/token-digests.ts";

/** The dependencies of the RPCs of this service. */
export interface Dependencies {
  readonly identities: IdentityStore;
  readonly configurations: ConfigurationStore;
  readonly administer: Administer;
  /** Removes what remains of deleted projects and models. Errors are logged, and the removal is retried later. */
  readonly finishRemovals: () => Promise<void>;
  readonly audit: AuditStore;
  readonly quotaStore: Pick<QuotaStore, "get">;
  /** Returns quotas that may be a few seconds old, without a command to the database. */
  readonly quotas: QuotaLookup;
  readonly pageTokens: PageTokens;
  readonly digests: TokenDigests;
  readonly logger: Logger;
  /** Returns the current time. */
  readonly now: () => Date;
  /** The language models that the operator has configured. */
  readonly engines: Engines;
}
