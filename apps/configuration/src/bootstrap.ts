import { grantablePermissions, mintTokenSecret, permissionName } from "@switchyard/access";
import { newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { createTokenDigests } from "./service/token-digests.ts";
import { createIdentityStore } from "./store/identity-store.ts";

/** What a bootstrap writes into, and the key of its token's digest (`createTokenPepper` of the root secret). */
export interface BootstrapDependencies {
  storage: Storage;
  tokenPepper: Uint8Array;
  now?: () => Date;
}

/** Whether an organization is in this database; the embedded store may have been removed, or another database named since. */
export async function organizationExists(storage: Storage, organizationId: string): Promise<boolean> {
  return (await createIdentityStore(storage).organization(organizationId)) !== null;
}

/** The names of the first things of an organization. */
export interface BootstrapNames {
  organizationName: string;
  userName: string;
  tokenName: string;
}

/** A new organization. The token's secret is nowhere else, now or later. */
export interface BootstrappedOrganization {
  organization: { id: string; name: string };
  team: { id: string; name: string };
  user: { id: string; name: string };
  tokenId: string;
  secret: string;
}

/**
 * Creates an organization, its team "Everyone", a user in it, and an organization token of that user and team with every permission
 * (api.md 7). For commands on the server: no endpoint leads here.
 */
export async function bootstrapOrganization(
  { storage, tokenPepper, now = () => new Date() }: BootstrapDependencies,
  { organizationName, userName, tokenName }: BootstrapNames,
): Promise<BootstrappedOrganization> {
  const identities = createIdentityStore(storage);
  await storage.ready();
  const digests = createTokenDigests(tokenPepper);
  const secret = mintTokenSecret("ORGANIZATION");
  const at = now();
  const organization = { _id: newId("org"), name: organizationName, createdAt: at };
  const owned = { organizationId: organization._id, createdAt: at };
  const user = { ...owned, _id: newId("usr"), name: userName };
  const team = { ...owned, _id: newId("team"), name: "Everyone", projectIds: [], userIds: [user._id], updatedAt: at };
  const token = {
    ...owned,
    _id: newId("tok"),
    name: tokenName,
    scope: "ORGANIZATION" as const,
    projectId: null,
    teamIds: [team._id],
    permissions: grantablePermissions.map(permissionName),
    userId: user._id,
    createdBy: user._id,
    digest: digests.digest(secret),
    kid: digests.kid,
    prefix: secret.slice(0, 8),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await identities.createOrganization({ organization, team, user, token });
  return {
    organization: { id: organization._id, name: organizationName },
    team: { id: team._id, name: team.name },
    user: { id: user._id, name: userName },
    tokenId: token._id,
    secret,
  };
}
