import { createTokenPepper } from "@switchyard/access";
import { databaseName, listOrganizations } from "@switchyard/configuration";
import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { bootstrap, getFirstStep, issueToken } from "./organizations.ts";
import { changeQuotas } from "./quota.ts";

describe("the commands for organizations", () => {
  let database: TestDatabase;
  let storage: Storage;
  let printed: { out: string; error: string };
  beforeAll(async () => {
    database = await startTestDatabase();
    storage = await connectStorage({ uri: database.uri, database: databaseName });
  });
  afterAll(async () => {
    await storage?.close();
    await database?.close();
  });
  beforeEach(async () => {
    await storage.connection.dropDatabase();
    printed = { out: "", error: "" };
  });

  const options = () => ({
    uri: database.uri,
    tokenPepper: createTokenPepper(new Uint8Array(32).fill(1)),
    output: { out: (text: string) => (printed.out += text), error: (text: string) => (printed.error += text) },
  });
  const ids = async (): Promise<string[]> => (await listOrganizations(storage)).map(({ id }) => id);

  it("create an organization, with its token on standard output and the rest on standard error", async () => {
    expect(await getFirstStep(storage)).toContain('switchyard-server bootstrap "My organization"');
    await bootstrap(options(), "Acme", false);
    expect(printed.out).toMatch(/^swo_[0-9A-Za-z]{36}\n$/);
    expect(printed.error).toContain(`Organization Acme (${(await ids())[0]})`);
    expect(await getFirstStep(storage)).toBeUndefined();
  });

  it("create a second organization of the same name, ignoring case, only with --another", async () => {
    await bootstrap(options(), "Acme", false);
    const [first] = await ids();
    const refused = bootstrap(options(), "ACME", false);
    await expect(refused).rejects.toThrow(
      new RegExp(`Acme \\(${first}, [^]*switchyard-server token ${first}\n.*--another`),
    );
    expect(await ids()).toEqual([first]);
    await bootstrap(options(), "Acme", true);
    expect(await ids()).toHaveLength(2);
  });

  it("issue another token by ID, or by a unique name", async () => {
    await expect(issueToken(options(), "Acme")).rejects.toThrow("no organization yet");
    await bootstrap(options(), "Acme", false);
    await bootstrap(options(), "Other", false);
    const [first = "", second = ""] = await ids();
    await expect(issueToken(options(), "Acne")).rejects.toThrow(
      new RegExp(`Existing organizations:\n.*${first}.*\n.*${second}`),
    );
    for (const word of [first, "acme"]) {
      printed.out = "";
      await issueToken(options(), word);
      expect(printed.out).toMatch(/^swo_[0-9A-Za-z]{36}\n$/);
    }
    await bootstrap(options(), "Acme", true);
    const [, , third = ""] = await ids();
    const ambiguous = issueToken(options(), "Acme");
    await expect(ambiguous).rejects.toThrow(new RegExp(`by its id:\n.*${first}.*\n.*${third}`));
  });

  it("change and print the quotas of an organization", async () => {
    await bootstrap(options(), "Acme", false);
    printed = { out: "", error: "" };
    await changeQuotas(options(), "acme", { models: 5, storedBytes: 2 * 1024 ** 3 });
    expect(printed.error).toContain("Quotas of Acme (org_");
    expect(printed.out).toBe(
      "classifiers       1000 (default)\nmodels            5\nschema-versions   100000 (default)\nstored-gigabytes  2\n",
    );
    printed = { out: "", error: "" };
    await changeQuotas(options(), "acme", { models: null });
    expect(printed.out).toContain("models            10000 (default)\n");
    expect(printed.out).toContain("stored-gigabytes  2\n");
    await expect(changeQuotas(options(), "Globex", {})).rejects.toThrow('there is no organization "Globex"');
  });
});
