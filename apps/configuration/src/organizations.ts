import type { Storage } from "@switchyard/storage";
import { foldName } from "@switchyard/text";
import { createIdentityStore } from "./store/identity-store.ts";

/** An organization, as commands on the server name it. */
export interface KnownOrganization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Every organization of this database, in order of creation. */
export async function listOrganizations(storage: Storage): Promise<KnownOrganization[]> {
  const found = await createIdentityStore(storage).organizations();
  return found.map(({ _id, name, createdAt }) => ({ id: _id, name, createdAt }));
}

/** Whether an organization is in this database; the embedded store may have been removed, or another database named since. */
export async function organizationExists(storage: Storage, organizationId: string): Promise<boolean> {
  return (await createIdentityStore(storage).organization(organizationId)) !== null;
}

/** Those of the organizations that a word means: the one with this id, else all with this name, whatever its case. */
export function organizationsNamed(organizations: readonly KnownOrganization[], idOrName: string): KnownOrganization[] {
  const byId = organizations.filter(({ id }) => id === idOrName);
  return byId.length > 0 ? byId : organizations.filter(({ name }) => foldName(name) === foldName(idOrName));
}
