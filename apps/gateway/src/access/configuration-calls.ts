import type { Transport } from "@connectrpc/connect";
import { createClient } from "@connectrpc/connect";
import { createTokenVerifier, withIdentity, type TokenVerifier } from "@switchyard/access";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { requestIdKey, type Logger } from "@switchyard/rpc";
import type { RecordRefusal } from "./refusals.ts";
import { gatewayService } from "./token-admission.ts";

/** How long the gateway waits for the configuration service. A failed lookup must be answered within 2 s. */
const timeoutMs = 1_800;

/** The calls that the gateway itself makes to the configuration service: it looks up callers and records refusals. */
export interface ConfigurationCalls {
  readonly verifier: TokenVerifier;
  readonly recordRefusal: RecordRefusal;
}

/** Creates the calls over a transport to the configuration service. */
export function createConfigurationCalls(transport: Transport, logger: Logger): ConfigurationCalls {
  const identities = createClient(IdentityLookupService, transport);
  const audit = createClient(AuditService, transport);
  const getCallOptions = (requestId: string | undefined) => {
    const contextValues = withIdentity({ service: gatewayService, caller: undefined });
    if (requestId !== undefined) contextValues.set(requestIdKey, requestId);
    return { contextValues, timeoutMs };
  };
  return {
    verifier: createTokenVerifier({
      lookup: (secret, requestId) => identities.verifyToken({ secret }, getCallOptions(requestId)),
    }),
    async recordRefusal({ requestId, ...refusal }) {
      try {
        await audit.recordRefusal(refusal, getCallOptions(requestId));
      } catch (error) {
        const { method, caller, reason } = refusal;
        const line = { err: error, requestId, method, tokenId: caller.tokenId, reason };
        logger.error(line, "A refusal could not be written to the audit trail");
      }
    },
  };
}
