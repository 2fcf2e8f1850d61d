import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodes } from "./cli/bundle.ts";
import { root } from "./processes.ts";

const isOld = (node: string) =>
  Number(execFileSync(node, ["--version"], { encoding: "utf8" }).slice(1).split(".")[0]) < 24;

/** npm 10 does not link the installed Node to node_modules/.bin, so the scripts start on the Node of the machine. */
describe("run.js", () => {
  const old = nodes().find(isOld);
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "switchyard-run-"));
    copyFileSync(join(root, "run.js"), join(folder, "run.js"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(folder, "program.ts"),
      'const words: readonly string[] = process.argv.slice(2);\nif (words[0] === "wait") setInterval(() => undefined, 1_000);\n' +
        "console.log([process.versions.node.split('.')[0], ...words].join(' '));\nif (words[0] === 'fail') process.exitCode = 7;\n",
    );
    const bin = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`);
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(folder, "node_modules/.bin"));
    symlinkSync(process.execPath, join(bin, "node"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (node: string, ...words: string[]) =>
    execFileSync(node, ["run.js", "program.ts", ...words], { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();

  it("runs a program with its arguments in the same process if Node is new enough", () => {
    expect(run(process.execPath, "a", "b c")).toBe("24 a b c");
  });

  it.skipIf(old === undefined)("runs it on the installed Node otherwise, and links that for other programs", () => {
    expect(run(old!, "a", "b c")).toBe("24 a b c");
    expect(readFileSync(join(folder, "node_modules/.bin/node")).equals(readFileSync(process.execPath))).toBe(true);
    expect(run(old!, "again")).toBe("24 again");
  });

  it.skipIf(old === undefined)("passes on the exit code and signals", async () => {
    expect(() => run(old!, "fail")).toThrow(expect.objectContaining({ status: 7 }));
    const running = spawn(old!, ["run.js", "program.ts", "wait"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => running.stdout.once("data", resolve));
    const ended = new Promise((resolve) => running.once("exit", (code, signal) => resolve(code ?? signal)));
    running.kill("SIGTERM");
    expect(await ended).toBe(143);
  });
});
