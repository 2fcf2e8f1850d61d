import { createTokenPepper } from "@switchyard/access";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap } from "./commands/organizations.ts";
import { readConfig } from "./config.ts";
import { openInstallation } from "./installation.ts";

describe("an installation", () => {
  let above: string;
  let folder: string;
  beforeEach(async () => {
    above = await mkdtemp(join(tmpdir(), "switchyard-installation-"));
    folder = join(above, "data");
    // Tokens belong to a secret, so there must be one.
    const { database, secret } = await open();
    const output = { out: () => undefined, error: () => undefined };
    await bootstrap({ uri: database.uri, tokenPepper: createTokenPepper(secret), output }, "Acme", false);
    await database.close();
  });
  afterEach(() => rm(above, { recursive: true, force: true }));

  const open = () => openInstallation(readConfig({ SWITCHYARD_DATA: folder }));

  it("is not opened without its secret or with another one, and creates none", async () => {
    const secret = join(folder, "secret");
    await rename(secret, `${secret}.away`);
    await expect(open()).rejects.toThrow(/root secret is missing.*Restore the file "secret"/);
    expect(await readdir(folder)).not.toContain("secret");
    await writeFile(secret, "ab".repeat(32));
    await expect(open()).rejects.toThrow(/root secret does not match the tokens.*SWITCHYARD_SECRET/);
    await rename(`${secret}.away`, secret);
    await (await open()).database.close();
  });

  it("is not opened without the store of its secret, and creates none", async () => {
    const store = join(folder, "store");
    await rename(store, `${store}.away`);
    await expect(open()).rejects.toThrow(/there is a root secret in .*, but no store.*restore it from a backup/);
    expect(await readdir(folder)).not.toContain("store");
    await rename(`${store}.away`, store);
    await (await open()).database.close();
  });
});
