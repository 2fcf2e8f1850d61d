import {
  bootstrapOrganization,
  databaseName,
  issueAdministratorToken,
  listOrganizations,
  organizationsNamed,
} from "@switchyard/configuration";
import type { KnownOrganization } from "@switchyard/configuration";
import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";

/** The dependencies of the commands that administer organizations. */
export interface OrganizationCommandOptions {
  uri: string;
  /** The key of the digests of tokens. */
  tokenPepper: Uint8Array;
  output: { out: (text: string) => void; error: (text: string) => void };
}

/**
 * Creates an organization and prints its token. Throws if an organization of this name exists, unless `another` is true.
 */
export async function bootstrap(
  { uri, tokenPepper, output }: OrganizationCommandOptions,
  organizationName: string,
  another: boolean,
): Promise<void> {
  await withConfiguration(uri, async (storage) => {
    const same = organizationsNamed(await listOrganizations(storage), organizationName);
    if (same.length > 0 && !another) {
      throw new Error(
        `an organization of this name already exists: ${same.map(describe).join(", ")}.\n` +
          `To issue a new token for it: switchyard-server token ${same[0]?.id}\n` +
          "To create a second organization of the same name: add --another",
      );
    }
    const names = { organizationName, userName: "Administrator", tokenName: "First token" };
    const { organization, secret } = await bootstrapOrganization({ storage, tokenPepper }, names);
    output.error(`Organization ${organization.name} (${organization.id}). Its token, shown only once:\n`);
    output.out(`${secret}\n`);
  });
}

/**
 * Issues a token with every permission for the organization with this id or name, and prints it. Throws if there is no such
 * organization, or if several have the name.
 */
export async function issueToken(
  { uri, tokenPepper, output }: OrganizationCommandOptions,
  idOrName: string,
): Promise<void> {
  await withConfiguration(uri, async (storage) => {
    const found = await requireOrganization(storage, idOrName);
    const secret = await issueAdministratorToken({ storage, tokenPepper }, found.id);
    output.error(`A new token with every permission for ${describe(found)}, shown only once:\n`);
    output.out(`${secret}\n`);
  });
}

/** Finds the organization with this id or name. Throws if there is none, or if several have the name. */
export async function requireOrganization(storage: Storage, idOrName: string): Promise<KnownOrganization> {
  const organizations = await listOrganizations(storage);
  const [found, ...others] = organizationsNamed(organizations, idOrName);
  if (found === undefined) throw new Error(getNotFoundMessage(idOrName, organizations));
  if (others.length === 0) return found;
  throw new Error(
    `several organizations have this name; choose one by its id:\n${[found, ...others]
      .map((one) => `  ${describe(one)}`)
      .join("\n")}`,
  );
}

/** Returns the instructions for a server without an organization; undefined if there is one. */
export async function getFirstStep(storage: Storage): Promise<string | undefined> {
  if ((await listOrganizations(storage)).length > 0) return undefined;
  return (
    "There is no organization yet, so no request is accepted. Create one with its first token:\n" +
    '  switchyard-server bootstrap "My organization"\n' +
    "(with the embedded store, stop this server first). `switchyard-server start --demo` creates one with sample documents.\n"
  );
}

/** Runs a task on the database of the configuration service. */
export async function withConfiguration(uri: string, run: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await connectStorage({ uri, database: databaseName });
  try {
    await run(storage);
  } finally {
    await storage.close();
  }
}

const maxListed = 20;

function getNotFoundMessage(idOrName: string, organizations: readonly KnownOrganization[]): string {
  if (organizations.length === 0)
    return "there is no organization yet; `switchyard-server bootstrap NAME` creates the first one";
  const listed = organizations.slice(0, maxListed).map((one) => `  ${describe(one)}`);
  const more = organizations.length > maxListed ? [`  and ${organizations.length - maxListed} more`] : [];
  return [`there is no organization "${idOrName}". Existing organizations:`, ...listed, ...more].join("\n");
}

/** Describes an organization in one line. */
export function describe({ id, name, createdAt }: KnownOrganization): string {
  return `${name} (${id}, created ${createdAt.toISOString().slice(0, 10)})`;
}
