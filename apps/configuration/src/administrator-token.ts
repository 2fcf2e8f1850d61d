import { grantablePermissions, mintTokenSecret, permissionName } from "@switchyard/access";
import { newId, type Storage } from "@switchyard/storage";
import { auditEntry } from "./service/audit/audit-entry.ts";
import { createTokenDigests } from "./service/tokens/token-digests.ts";
import type { TokenDocument } from "./store/identity-documents.ts";
import { createIdentityStore } from "./store/identity-store.ts";

/** What the creation of a token depends on. */
export interface TokenDependencies {
  storage: Storage;
  /** The key of the tokens' digests, which `createTokenPepper` derives from the root secret. */
  tokenPepper: Uint8Array;
  now?: () => Date;
}

/** The owner of a token, and the teams whose projects it reaches. */
export interface TokenOwner {
  readonly organizationId: string;
  readonly userId: string;
  readonly teamIds: string[];
}

/** Creates a token of an organization with every permission, by default without an expiry. Returns it with its secret. */
export function createAdministratorToken(
  { organizationId, userId, teamIds }: TokenOwner,
  name: string,
  tokenPepper: Uint8Array,
  at: Date,
  expiresAt: Date | null = null,
): { token: TokenDocument; secret: string } {
  const digests = createTokenDigests(tokenPepper);
  const secret = mintTokenSecret("ORGANIZATION");
  const token: TokenDocument = {
    _id: newId("tok"),
    organizationId,
    name,
    scope: "ORGANIZATION",
    projectId: null,
    teamIds,
    permissions: grantablePermissions.map(permissionName),
    userId,
    createdBy: userId,
    digest: digests.digest(secret),
    kid: digests.kid,
    prefix: secret.slice(0, 8),
    createdAt: at,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { token, secret };
}

/** The name of a token that is issued on the server, and how long it is valid in milliseconds: without an end by default. */
export interface IssuedTokenOptions {
  readonly name?: string;
  readonly validMs?: number;
}

/**
 * Issues a token with every permission to the first user of an organization, with the teams of this user, and records it in the audit
 * trail. It is for an organization that has lost its last administrator, and for the sign-in link of the console; no endpoint of the API
 * leads here. Returns the secret of the token, which is not stored.
 */
export async function issueAdministratorToken(
  { storage, tokenPepper, now = () => new Date() }: TokenDependencies,
  organizationId: string,
  { name = "Issued on the server", validMs }: IssuedTokenOptions = {},
): Promise<string> {
  const identities = createIdentityStore(storage);
  await storage.ready();
  const [user] = await identities.listUsers(organizationId, { limit: 1, after: undefined });
  if (user === undefined) throw new Error(`the organization ${organizationId} has no user`);
  const teamIds = await identities.listUserTeams(organizationId, user._id);
  const at = now();
  const expiresAt = validMs === undefined ? null : new Date(at.getTime() + validMs);
  const owner = { organizationId, userId: user._id, teamIds };
  const { token, secret } = createAdministratorToken(owner, name, tokenPepper, at, expiresAt);
  const { _id: tokenId, scope, permissions, userId } = token;
  await identities.insertToken(
    token,
    auditEntry({
      action: "token.create",
      caller: { organizationId, tokenId, userId },
      requestId: "",
      at,
      outcome: "DONE",
      targetId: tokenId,
      changes: {
        name,
        scope,
        teamIds,
        permissions,
        expiresAt: expiresAt?.toISOString() ?? null,
        userId,
        issuedBy: "switchyard-server",
      },
    }),
  );
  return secret;
}
