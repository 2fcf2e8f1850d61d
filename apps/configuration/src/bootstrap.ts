import { newId } from "@switchyard/storage";
import { createAdministratorToken, type TokenDependencies } from "./administrator-token.ts";
import { createIdentityStore } from "./store/identity-store.ts";

/** The names of an organization and its first user and token. */
export interface BootstrapNames {
  organizationName: string;
  userName: string;
  tokenName: string;
}

/** A new organization. The secret of the token is returned only here. */
export interface BootstrappedOrganization {
  organization: { id: string; name: string };
  team: { id: string; name: string };
  user: { id: string; name: string };
  tokenId: string;
  secret: string;
}

/**
 * Creates an organization, its team "Everyone", a user of this team, and a token of the organization with every permission for this user
 * and team. It is for commands on the server, and no endpoint leads here.
 */
export async function bootstrapOrganization(
  { storage, tokenPepper, now = () => new Date() }: TokenDependencies,
  { organizationName, userName, tokenName }: BootstrapNames,
): Promise<BootstrappedOrganization> {
  const identities = createIdentityStore(storage);
  await storage.ready();
  const at = now();
  const organization = { _id: newId("org"), name: organizationName, createdAt: at };
  const owned = { organizationId: organization._id, createdAt: at };
  const user = { ...owned, _id: newId("usr"), name: userName };
  const team = { ...owned, _id: newId("team"), name: "Everyone", projectIds: [], userIds: [user._id], updatedAt: at };
  const owner = { organizationId: organization._id, userId: user._id, teamIds: [team._id] };
  const { token, secret } = createAdministratorToken(owner, tokenName, tokenPepper, at);
  await identities.createOrganization({ organization, team, user, token });
  return {
    organization: { id: organization._id, name: organizationName },
    team: { id: team._id, name: team.name },
    user: { id: user._id, name: userName },
    tokenId: token._id,
    secret,
  };
}
