import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDataFolder } from "./data-folder.ts";

describe("makeDataFolder", () => {
  let above: string;
  beforeEach(async () => {
    above = await mkdtemp(join(tmpdir(), "switchyard-folder-"));
  });
  afterEach(() => rm(above, { recursive: true }));

  it("creates the folder and its parents for the owner only, and accepts an existing one", async () => {
    const folder = join(above, "a", "b");
    await makeDataFolder(folder);
    await makeDataFolder(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("reports the variable, the folder and the reason if it fails", async () => {
    const file = join(above, "file");
    await writeFile(file, "");
    await expect(makeDataFolder(file)).rejects.toThrow(`SWITCHYARD_DATA: the folder ${file} cannot be used: it is not`);
    await expect(makeDataFolder(join(file, "below"))).rejects.toThrow(/^SWITCHYARD_DATA: .*ENOTDIR/);
    if (process.platform !== "linux") return;
    for (const folder of ["/proc/nothing", "/proc/nothing/below"]) {
      await expect(makeDataFolder(folder)).rejects.toThrow(`SWITCHYARD_DATA: the folder ${folder} cannot be used`);
    }
  });
});
