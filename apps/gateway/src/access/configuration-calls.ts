import type { Transport } from "@connectrpc/connect";
import { createClient } from "@connectrpc/connect";
import { createTokenVerifier, withIdentity, type TokenVerifier } from "@switchyard/access";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { RateLimitService } from "@switchyard/contracts/switchyard/identity/internal/v1/rate_limit";
import { requestIdKey, type Logger } from "@switchyard/rpc";
import type { LeaseRequests } from "../rate-limit/rate-limiter.ts";
import type { RecordRefusal } from "./refusals.ts";
import { gatewayService } from "./token-admission.ts";

/** How long the gateway waits for the configuration service. A failed lookup must be answered within 2 s. */
const timeoutMs = 1_800;

/** How long a request waits for a lease of requests, in milliseconds. Without one, the gateway counts the requests on its own. */
const leaseTimeoutMs = 1_000;

/** The calls that the gateway itself makes to the configuration service: for callers, refusals and the rate limits of tokens. */
export interface ConfigurationCalls {
  readonly verifier: TokenVerifier;
  readonly recordRefusal: RecordRefusal;
  readonly leaseRequests: LeaseRequests;
}

/** Creates the calls over a transport to the configuration service. */
export function createConfigurationCalls(transport: Transport, logger: Logger): ConfigurationCalls {
  const identities = createClient(IdentityLookupService, transport);
  const audit = createClient(AuditService, transport);
  const rateLimits = createClient(RateLimitService, transport);
  const getCallOptions = (requestId: string | undefined) => {
    const contextValues = withIdentity({ service: gatewayService, caller: undefined });
    if (requestId !== undefined) contextValues.set(requestIdKey, requestId);
    return { contextValues, timeoutMs };
  };
  return {
    verifier: createTokenVerifier({
      lookup: (secret, requestId) => identities.verifyToken({ secret }, getCallOptions(requestId)),
    }),
    async leaseRequests(tokenId, lease) {
      const options = { ...getCallOptions(undefined), timeoutMs: leaseTimeoutMs };
      try {
        return await rateLimits.leaseRequests({ tokenId, ...lease }, options);
      } catch (error) {
        logger.warn({ err: error, tokenId }, "No requests could be leased. The gateway counts them locally");
        throw error;
      }
    },
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
