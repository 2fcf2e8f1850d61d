import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCommandLine } from "./command-line.ts";
import { transferStore } from "./store-transfer.ts";

describe("store export and store import", () => {
  it("report which side is missing, and create nothing", async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), "switchyard-moving-"));
    const run = (line: string, source = dataFolder): Promise<void> => {
      const unset = { dataFolder: source, mongodbUri: undefined, mongodBinary: undefined };
      const silent = { out: () => undefined, error: () => undefined };
      const { command } = parseCommandLine(["store", ...line.split(" ")], "0.0.0", silent);
      if (command?.kind !== "export" && command?.kind !== "import") throw new Error(`not parsed: ${line}`);
      return transferStore(unset, command, () => undefined);
    };
    await expect(run("export")).rejects.toThrow(`there is no embedded store in ${dataFolder}`);
    // One that cannot be looked at may have a store.
    await writeFile(join(dataFolder, "file"), "");
    await expect(run("export", join(dataFolder, "file"))).rejects.toThrow("ENOTDIR");
    await expect(run("export --from-mongodb")).rejects.toThrow("MONGODB_URI is not set");
    await expect(run("import")).rejects.toThrow("MONGODB_URI is not set");
    await expect(run(`import ${join(dataFolder, "none")}`)).rejects.toThrow("none is not an archive");
    await rm(dataFolder, { recursive: true });
  });
});
