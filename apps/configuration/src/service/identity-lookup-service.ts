import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { isTokenSecret } from "@switchyard/access";
import {
  IdentityLookupService,
  QuotasSchema,
  ResolveProjectsResponseSchema,
} from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, register, requestIdKey, unauthenticated } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { shouldRecordUse, getValidSecrets, getTokenState } from "../domain/tokens/token-state.ts";
import { callerMessage, projectMessage } from "../store/identity-messages.ts";
import type { TokenDocument } from "../store/identity-documents.ts";
import { auditEntry } from "./audit/audit-entry.ts";
import type { Dependencies } from "./dependencies.ts";
import { listReachableProjectIds } from "./tokens/reachable-projects.ts";

const maxProjects = 1000;

/** Implements IdentityLookupService, which tells other services about callers and projects. */
export function identityLookupService(dependencies: Dependencies): ServiceRegistration {
  const { identities, quotaStore, administer, digests, logger, now } = dependencies;
  return register(IdentityLookupService, {
    verifyToken: (request, context) => verify(request.secret, context),
    getQuotas: async ({ organizationId }) => create(QuotasSchema, await quotaStore.get(organizationId)),
    async resolveProjects({ projectIds }) {
      if (projectIds.length > maxProjects) {
        throw invalid([{ field: "projectIds", message: `must have at most ${maxProjects} entries` }]);
      }
      const projects = await identities.projects([...new Set(projectIds)]);
      return create(ResolveProjectsResponseSchema, { projects: projects.map(projectMessage) });
    },
  });

  async function verify(secret: string, context: HandlerContext): Promise<Caller> {
    if (!isTokenSecret(secret)) throw refusal();
    const token = await identities.tokenByDigest(digests.digest(secret));
    if (token === null || !getValidSecrets(token, now()).some((one) => digests.matches(one, secret))) throw refusal();
    if (getTokenState(token, now()) !== "ACTIVE") throw refusal();
    const projectIds = await listReachableProjectIds({ identities }, token);
    if (projectIds === undefined) throw refusal();
    const caller = callerMessage(token, projectIds);
    if (shouldRecordUse(token.lastUsedAt, now())) await recordUse(token, caller, context);
    return caller;
  }

  /** Records the use of a token. A failure does not affect the call. */
  async function recordUse(token: TokenDocument, caller: Caller, { values }: HandlerContext): Promise<void> {
    const at = now();
    try {
      if (token.lastUsedAt !== null) return await identities.touchToken(token._id, at);
      const entry = auditEntry({
        action: "token.firstUse",
        caller,
        requestId: values.get(requestIdKey),
        at,
        outcome: "DONE",
        targetId: token._id,
        changes: { name: token.name },
      });
      await administer(async (records) => {
        if (await records.recordFirstUse(token._id, at)) await records.append(entry);
        return undefined;
      });
    } catch (error) {
      logger.warn({ err: error, tokenId: token._id }, "The last use of a token could not be recorded");
    }
  }
}

/** Creates the same error for every reason, so that nobody learns which secrets were once valid. */
function refusal(): Error {
  return unauthenticated("TOKEN_INVALID", "The token is not valid.");
}
