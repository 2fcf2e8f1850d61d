import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { move, readMoveCommand } from "./moving.ts";

describe("store export and store import", () => {
  it.each([
    ["export", { kind: "export", archive: undefined, fromMongo: false }],
    ["export there", { kind: "export", archive: "there", fromMongo: false }],
    ["export --from-mongodb there", { kind: "export", archive: "there", fromMongo: true }],
    ["import", { kind: "import", archive: undefined, toEmbedded: false, replace: false }],
    ["import there --replace", { kind: "import", archive: "there", toEmbedded: false, replace: true }],
    ["import --to-embedded", { kind: "import", archive: undefined, toEmbedded: true, replace: false }],
  ])("are read from the command line: %s", (line, expected) => {
    expect(readMoveCommand(line.split(" "))).toEqual(expected);
  });

  it.each([
    "",
    "move",
    "export a b",
    "export --replace",
    "export --to-embedded",
    "import --from-mongodb",
    "import --force",
  ])("are not what they do not know: %s", (line) =>
    expect(readMoveCommand(line === "" ? [] : line.split(" "))).toBeUndefined(),
  );

  it("say which side is missing, and make nothing", async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), "switchyard-moving-"));
    const nowhere = { dataFolder, mongodbUri: undefined, mongodBinary: undefined };
    const run = (line: string): Promise<void> => {
      const command = readMoveCommand(line.split(" "));
      if (command === undefined) throw new Error(`not read: ${line}`);
      return move(nowhere, command, () => undefined);
    };
    await expect(run("export")).rejects.toThrow(`there is no embedded store in ${dataFolder}`);
    await expect(run("export --from-mongodb")).rejects.toThrow("MONGODB_URI is not set");
    await expect(run("import")).rejects.toThrow("MONGODB_URI is not set");
    await expect(run(`import ${join(dataFolder, "none")}`)).rejects.toThrow("none is no archive");
    await rm(dataFolder, { recursive: true });
  });
});
