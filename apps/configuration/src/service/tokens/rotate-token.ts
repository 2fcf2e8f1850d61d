import { Code } from "@connectrpc/connect";
import type { HandlerContext } from "@connectrpc/connect";
import { getCaller, mintTokenSecret } from "@switchyard/access";
import type { IssuedToken, RotateTokenRequest } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { conflict, invalid, problem } from "@switchyard/rpc";
import { findMissingRight } from "../../domain/tokens/minting.ts";
import { getValidPreviousSecrets, getTokenState } from "../../domain/tokens/token-state.ts";
import { issuedTokenMessage } from "../../store/identity-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import { assertNoMissingRight, assertUserInReach } from "./create-token.ts";
import type { Dependencies } from "../dependencies.ts";
import { loadTokenAdministrator } from "./token-administrator.ts";
import { findVisibleToken } from "./token-access.ts";

const maxGraceSeconds = 604_800;
const maxPreviousSecrets = 5;

/**
 * Replaces the secret of a token. Because the holder of the new secret can do what the token can, this requires the rights that issuing the
 * token would, except for the caller's own token.
 */
export async function rotateToken(
  { administer, digests, now }: Dependencies,
  { tokenId, graceSeconds }: RotateTokenRequest,
  context: HandlerContext,
): Promise<IssuedToken> {
  const caller = getCaller(context);
  return administer(async (records) => {
    const at = now();
    const administrator = await loadTokenAdministrator(records, caller, at);
    const { token, projectsOfTeam } = await findVisibleToken(records, caller, administrator, tokenId);
    if (token._id !== caller.tokenId) {
      assertNoMissingRight(findMissingRight(token, administrator, projectsOfTeam));
      assertUserInReach(administrator, caller, token.userId);
    }
    const grace = requiredGrace(graceSeconds);
    if (getTokenState(token, at) !== "ACTIVE") {
      throw conflict("TOKEN_NOT_ACTIVE", "The token is revoked or has expired.");
    }
    const live = getValidPreviousSecrets(token.previousSecrets ?? [], at);
    if (grace > 0 && live.length >= maxPreviousSecrets) throw tooManySecrets();
    const secret = mintTokenSecret(token.scope);
    const until = new Date(at.getTime() + grace * 1000);
    const replaced = grace > 0 ? [{ digest: token.digest, kid: token.kid, until }] : [];
    const rotated = {
      ...token,
      digest: digests.digest(secret),
      kid: digests.kid,
      prefix: secret.slice(0, 8),
      previousSecrets: [...live, ...replaced],
    };
    await records.replaceSecrets(rotated);
    await records.append(changeEntry(context, at, tokenId, { graceSeconds: grace }));
    return issuedTokenMessage(rotated, secret, at);
  });
}

function requiredGrace(seconds: number | undefined): number {
  if (seconds !== undefined && seconds >= 0 && seconds <= maxGraceSeconds) return seconds;
  const message = seconds === undefined ? "is required" : `must be 0 to ${maxGraceSeconds}`;
  throw invalid([{ field: "graceSeconds", message }]);
}

function tooManySecrets(): Error {
  const message = `A token has at most ${maxPreviousSecrets} earlier secrets that are still valid.`;
  return problem(Code.InvalidArgument, "TOO_MANY_SECRETS", message, {
    violations: [{ field: "graceSeconds", message }],
  });
}
