import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  ListTokensResponseSchema,
  RevokeTokenResponseSchema,
} from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { conflict } from "@switchyard/rpc";
import { canSeeToken } from "../../domain/tokens/minting.ts";
import { isPermanentAdministrator, getTokenState } from "../../domain/tokens/token-state.ts";
import type { AdministrationRecords } from "../../store/administration.ts";
import type { TokenDocument } from "../../store/identity-documents.ts";
import { tokenMessage } from "../../store/identity-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import { createToken } from "./create-token.ts";
import type { Dependencies } from "../dependencies.ts";
import { readPage } from "../paging.ts";
import { rotateToken } from "./rotate-token.ts";
import { projectsByTeam, findVisibleToken } from "./token-access.ts";
import { toTokenAdministrator } from "./token-administrator.ts";

type TokenMethods = Pick<
  ServiceImpl<typeof IdentityService>,
  "listTokens" | "createToken" | "revokeToken" | "rotateToken"
>;

/** Implements the RPCs of tokens. */
export function tokenMethods(dependencies: Dependencies): TokenMethods {
  const { identities, administer, pageTokens, now } = dependencies;
  return {
    async listTokens(request, context) {
      const caller = getCaller(context);
      const { organizationId } = caller;
      const { items, ...next } = await readPage(pageTokens, request, {
        query: { list: "tokens", organizationId },
        find: (limit, after) => identities.listTokens(organizationId, { limit, after }),
        keep: (tokens) => visible(caller, tokens),
      });
      const at = now();
      return create(ListTokensResponseSchema, { tokens: items.map((token) => tokenMessage(token, at)), ...next });
    },
    createToken: (request, context) => createToken(dependencies, request, context),
    async revokeToken({ tokenId }, context) {
      const caller = getCaller(context);
      return administer(async (records) => {
        const { token } = await findVisibleToken(records, caller, toTokenAdministrator(caller), tokenId);
        if (token.revokedAt === null) {
          const at = now();
          await requireAnotherAdministrator(records, token, at);
          await records.revokeToken(tokenId, at);
          await records.append(changeEntry(context, at, tokenId, { name: token.name }));
        }
        return create(RevokeTokenResponseSchema);
      });
    },
    rotateToken: (request, context) => rotateToken(dependencies, request, context),
  };

  /** Returns the tokens that the caller sees. */
  async function visible(caller: Caller, tokens: TokenDocument[]): Promise<TokenDocument[]> {
    const teamIds = [...new Set(tokens.flatMap((token) => token.teamIds))];
    const projectsOfTeam = projectsByTeam(await identities.teams(caller.organizationId, teamIds));
    const administrator = toTokenAdministrator(caller);
    return tokens.filter((token) => token._id === caller.tokenId || canSeeToken(token, administrator, projectsOfTeam));
  }
}

/** Throws AlreadyExists with LAST_ADMINISTRATOR if nobody would be left who could issue another token for the organization. */
async function requireAnotherAdministrator(
  records: Pick<AdministrationRecords, "lockOtherAdministrator">,
  token: TokenDocument,
  now: Date,
): Promise<void> {
  if (!isPermanentAdministrator(token) || getTokenState(token, now) !== "ACTIVE") return;
  if (await records.lockOtherAdministrator(token)) return;
  throw conflict(
    "LAST_ADMINISTRATOR",
    "This is the organization's last token that never expires and has both tokens:admin and organization:admin. " +
      "Issue another one first, or rotate this one.",
  );
}
