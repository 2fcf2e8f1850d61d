import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadRootSecret } from "./root-secret.ts";

describe("loadRootSecret", () => {
  let folder: string;

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "switchyard-secret-")), "data");
  });

  afterEach(async () => {
    await rm(join(folder, ".."), { recursive: true });
  });

  it("creates one secret for all processes that start at the same time, readable only by its owner, and keeps it", async () => {
    const secrets = await Promise.all(Array.from({ length: 10 }, () => loadRootSecret({ secret: undefined, folder })));
    expect(new Set(secrets.map((secret) => Buffer.from(secret).toString("hex"))).size).toBe(1);
    expect(secrets[0]).toHaveLength(32);
    expect(await loadRootSecret({ secret: undefined, folder })).toEqual(secrets[0]);
    expect((await stat(join(folder, "secret"))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["secret"]);
  });

  it("returns a configured secret, and rejects a short one", async () => {
    expect(await loadRootSecret({ secret: "ab".repeat(40), folder })).toEqual(new Uint8Array(40).fill(0xab));
    await expect(loadRootSecret({ secret: "ab".repeat(31), folder })).rejects.toThrow("at least 32 bytes");
  });

  it("names the file that it cannot read", async () => {
    await mkdir(join(folder, "secret"), { recursive: true });
    await expect(loadRootSecret({ secret: undefined, folder })).rejects.toThrow(join(folder, "secret"));
  });

  it("rejects a damaged file, and does not replace it", async () => {
    await loadRootSecret({ secret: undefined, folder });
    await writeFile(join(folder, "secret"), "");
    await expect(loadRootSecret({ secret: undefined, folder })).rejects.toThrow(join(folder, "secret"));
  });
});
