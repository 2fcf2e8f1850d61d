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

/** The database, the key of tokens' digests, and where it is told what was done. */
export interface OrganizationCommandOptions {
  uri: string;
  tokenPepper: Uint8Array;
  output: { out: (text: string) => void; error: (text: string) => void };
}

/**
 * Creates an organization and prints its token, once. Throws when there is one of this name already, unless another is wanted.
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
        `there is an organization of this name already: ${same.map(described).join(", ")}.\n` +
          `For a new token of it: switchyard-server token ${same[0]?.id}\n` +
          "For a second organization of the same name: add --another",
      );
    }
    const names = { organizationName, userName: "Administrator", tokenName: "First token" };
    const { organization, secret } = await bootstrapOrganization({ storage, tokenPepper }, names);
    output.error(`Organization ${organization.name} (${organization.id}). Its token, shown only once:\n`);
    output.out(`${secret}\n`);
  });
}

/**
 * Issues a token with every permission for an organization, named by its id or name, and prints it, once. Throws when there is none,
 * and when several have the name, with their ids.
 */
export async function issueToken(
  { uri, tokenPepper, output }: OrganizationCommandOptions,
  idOrName: string,
): Promise<void> {
  await withConfiguration(uri, async (storage) => {
    const organizations = await listOrganizations(storage);
    const [found, ...others] = organizationsNamed(organizations, idOrName);
    if (found === undefined) throw new Error(notFound(idOrName, organizations));
    if (others.length > 0) {
      throw new Error(
        `several organizations have this name; say which one by its id:\n${[found, ...others]
          .map((one) => `  ${described(one)}`)
          .join("\n")}`,
      );
    }
    const secret = await issueAdministratorToken({ storage, tokenPepper }, found.id);
    output.error(`A new token with every permission for ${described(found)}, shown only once:\n`);
    output.out(`${secret}\n`);
  });
}

/** What somebody has to do who starts a server without an organization; undefined when there is one. */
export async function firstStep(storage: Storage): Promise<string | undefined> {
  if ((await listOrganizations(storage)).length > 0) return undefined;
  return (
    "There is no organization yet, so no call is accepted. Create one, and its first token, with\n" +
    '  switchyard-server bootstrap "My organization"\n' +
    "(on the embedded store, stop this server first). `switchyard-server start --demo` creates one with sample documents.\n"
  );
}

async function withConfiguration(uri: string, run: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await connectStorage({ uri, database: databaseName });
  try {
    await run(storage);
  } finally {
    await storage.close();
  }
}

const maxListed = 20;

function notFound(idOrName: string, organizations: readonly KnownOrganization[]): string {
  if (organizations.length === 0)
    return "there is no organization yet; `switchyard-server bootstrap NAME` creates the first one";
  const listed = organizations.slice(0, maxListed).map((one) => `  ${described(one)}`);
  const more = organizations.length > maxListed ? [`  and ${organizations.length - maxListed} more`] : [];
  return [`there is no organization "${idOrName}". There are:`, ...listed, ...more].join("\n");
}

function described({ id, name, createdAt }: KnownOrganization): string {
  return `${name} (${id}, created ${createdAt.toISOString().slice(0, 10)})`;
}
