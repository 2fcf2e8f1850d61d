import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCommandLine } from "./command-line.ts";
import { transferStore } from "./store-transfer.ts";

describe("store export and store import", () => {
  it("report which side is missing, and create nothing", async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), "switchyard-moving-"));
    const unset = { dataFolder, mongodbUri: undefined, mongodBinary: undefined };
    const run = (line: string): Promise<void> => {
      const silent = { out: () => undefined, error: () => undefined };
      const { command } = parseCommandLine(["store", ...line.split(" ")], "0.0.0", silent);
      if (command?.kind !== "export" && command?.kind !== "import") throw new Error(`not parsed: ${line}`);
      return transferStore(unset, command, () => undefined);
    };
    await expect(run("export")).rejects.toThrow(`there is no embedded store in ${dataFolder}`);
    await expect(run("export --from-mongodb")).rejects.toThrow("MONGODB_URI is not set");
    await expect(run("import")).rejects.toThrow("MONGODB_URI is not set");
    await expect(run(`import ${join(dataFolder, "none")}`)).rejects.toThrow("none is not an archive");
    await rm(dataFolder, { recursive: true });
  });
});
