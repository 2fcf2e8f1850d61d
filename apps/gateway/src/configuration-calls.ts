import type { Transport } from "@connectrpc/connect";
import { createClient } from "@connectrpc/connect";
import { createTokenVerifier, withIdentity, type TokenVerifier } from "@switchyard/access";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { requestIdKey, type Logger } from "@switchyard/rpc";
import type { RecordRefusal } from "./refusals.ts";
import { gatewayService } from "./token-admission.ts";

/** How long the gateway waits for the configuration service: whoever it cannot look up is to be told so within 2 s. */
const patienceMs = 1_800;

/** What the gateway asks of the configuration service for itself, by a transport to it: who callers are, and to note refusals. */
export interface ConfigurationCalls {
  readonly verifier: TokenVerifier;
  readonly recordRefusal: RecordRefusal;
}

/** The calls over a transport. */
export function configurationCalls(transport: Transport, logger: Logger): ConfigurationCalls {
  const identities = createClient(IdentityLookupService, transport);
  const audit = createClient(AuditService, transport);
  const asItself = (requestId: string | undefined) => {
    const contextValues = withIdentity({ service: gatewayService, caller: undefined });
    if (requestId !== undefined) contextValues.set(requestIdKey, requestId);
    return { contextValues, timeoutMs: patienceMs };
  };
  return {
    verifier: createTokenVerifier({
      lookup: (secret, requestId) => identities.verifyToken({ secret }, asItself(requestId)),
    }),
    async recordRefusal({ requestId, ...refusal }) {
      try {
        await audit.recordRefusal(refusal, asItself(requestId));
      } catch (error) {
        const { method, caller, reason } = refusal;
        const line = { err: error, requestId, method, tokenId: caller.tokenId, reason };
        logger.error(line, "a refusal could not be written into the audit trail");
      }
    },
  };
}
