import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { collectDocuments } from "./documents.ts";

describe("collectDocuments", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-documents-"));
    await mkdir(join(folder, "in/deep"), { recursive: true });
    await mkdir(join(folder, "in/.hidden"));
    for (const name of [
      "b.pdf",
      "in/a.pdf",
      "in/deep/c.pdf",
      "in/deep/d.txt",
      "in/.e.pdf",
      "in/.hidden/f.pdf",
      "[x].pdf",
    ])
      await writeFile(join(folder, name), name);
    await symlink(join(folder, "b.pdf"), join(folder, "in/link.pdf"));
    await symlink(folder, join(folder, "in/round"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const labels = async (...words: string[]): Promise<string[]> =>
    (await collectDocuments(words, folder)).map(({ label }) => label);

  /**
   * Collects documents in a thread whose stack is so small that a call cannot have `count` arguments, which it tries as well. The usual stack
   * has room for 120,000, and that many files take seconds to create.
   */
  async function collectWithSmallStack(word: string, count: number): Promise<unknown> {
    const script = `
      const { parentPort, workerData } = require("node:worker_threads");
      void import(workerData.url).then(async ({ collectDocuments }) => {
        const { length } = await collectDocuments([workerData.word], workerData.folder);
        let called = "";
        try { [].push(...new Array(workerData.count)); } catch (error) { called = error.name; }
        parentPort.postMessage({ collected: length, called });
      });`;
    const thread = new Worker(script, {
      eval: true,
      execArgv: [],
      workerData: { url: new URL("./documents.ts", import.meta.url).href, word, folder, count },
      resourceLimits: { stackSizeMb: 0.3 },
    });
    return new Promise((resolve, reject) => thread.once("message", resolve).once("error", reject));
  }

  it("collects files, folders with all files below them, and patterns, in the given order", async () => {
    expect(await labels("b.pdf", "in")).toEqual(["b.pdf", "in/a.pdf", "in/deep/c.pdf", "in/deep/d.txt", "in/link.pdf"]);
    expect(await labels("in/**/*.pdf")).toEqual(["in/a.pdf", "in/deep/c.pdf", "in/link.pdf"]);
    expect(await labels("*.pdf")).toEqual(["[x].pdf", "b.pdf"]);
    expect(await labels(join(folder, "in/deep/*"))).toEqual([
      join(folder, "in/deep/c.pdf"),
      join(folder, "in/deep/d.txt"),
    ]);
  });

  it("collects more files of a folder than a call can have arguments", async () => {
    await mkdir(join(folder, "many/deep"), { recursive: true });
    const count = 20_000;
    for (let number = 0; number < count; number += 1) writeFileSync(join(folder, `many/deep/${number}.txt`), "");
    expect(await collectWithSmallStack("many", count)).toEqual({ collected: count, called: "RangeError" });
  });

  it("collects each document once, with standard input in the place of the dash", async () => {
    expect(await labels("in/a.pdf", "-", "in/*.pdf", "./in/a.pdf", "-")).toEqual(["in/a.pdf", "-", "in/link.pdf"]);
  });

  it("prefers an existing file to a pattern of the same text", async () => {
    expect(await labels("[x].pdf")).toEqual(["[x].pdf"]);
  });

  it.each(["nothing.pdf", "in/*.doc", "b.pdf/x", "nowhere/**"])(
    "names the argument that matches no file: %s",
    async (word) => {
      await expect(collectDocuments(["b.pdf", word], folder)).rejects.toThrow(word);
    },
  );
});
