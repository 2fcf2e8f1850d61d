import type { Storage } from "@switchyard/storage";
import { foldName } from "@switchyard/text";
import { createIdentityStore } from "./store/identity-store.ts";

/** An organization, as it is shown by commands on the server. */
export interface KnownOrganization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Lists the organizations of this database in order of creation. */
export async function listOrganizations(storage: Storage): Promise<KnownOrganization[]> {
  const found = await createIdentityStore(storage).organizations();
  return found.map(({ _id, name, createdAt }) => ({ id: _id, name, createdAt }));
}

/** Whether an organization exists in this database. The embedded store may have been removed, or another database configured. */
export async function organizationExists(storage: Storage, organizationId: string): Promise<boolean> {
  return (await createIdentityStore(storage).organization(organizationId)) !== null;
}

/** Finds organizations by an id, or else by a name, ignoring case. */
export function organizationsNamed(organizations: readonly KnownOrganization[], idOrName: string): KnownOrganization[] {
  const byId = organizations.filter(({ id }) => id === idOrName);
  return byId.length > 0 ? byId : organizations.filter(({ name }) => foldName(name) === foldName(idOrName));
}
