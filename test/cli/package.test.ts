import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../processes.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { buildBundle, nodes, runToEnd } from "./bundle.ts";
import type { Bundle } from "./bundle.ts";
import { runInTerminal } from "./pseudo-terminal.ts";

describe("the command line as users install it", () => {
  const given = givenOffice();
  let bundle: Bundle;
  let folder: string;
  beforeAll(async () => {
    bundle = await buildBundle();
    folder = await mkdtemp(join(tmpdir(), "switchyard-package-"));
  });
  afterAll(async () => {
    await bundle?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const connection = () => ({ SWITCHYARD_BASE_URL: given.system.url, SWITCHYARD_TOKEN: given.system.token });

  it.each(nodes())("runs on %s: uploads a file, and keeps its exit code", async (node) => {
    const path = join(root, "samples", "receipt-coffee.pdf");
    const run = [bundle.file, "classify", "run", given.office.classifier, path, "--output", "json", "--again"];
    const ran = await runToEnd(node, run, { cwd: folder, environment: connection() });
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: "CLASSIFIED", routeName: "Receipt" });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "1 document: 1 classified, 0 unclassified.\n" });
    const argv = [bundle.file, "classify", "get", "clf_nothing"];
    expect((await runToEnd(node, argv, { cwd: folder, environment: connection() })).exitCode).toBe(5);
  });

  /** Runs the bundle in a pseudo-terminal. `answer` is typed when the output matches. */
  const inTerminal = (argv: readonly string[], environment: Record<string, string>, answer?: [RegExp, string]) =>
    runInTerminal(bundle.file, argv, { folder, environment, ...(answer === undefined ? {} : { answer }) });

  it("prints tables with colors in a terminal, and none with NO_COLOR", async () => {
    const argv = ["deployments", "list", "--project-id", given.office.projectId];
    const colored = await inTerminal(argv, connection());
    expect(colored.exitCode).toBe(0);
    expect(colored.output).toContain("\u001b[32mACTIVE\u001b[39m");
    const plain = await inTerminal(argv, { ...connection(), NO_COLOR: "1" });
    expect(plain.output).not.toContain("\u001b");
    expect(plain.output).toMatch(/^ID +NAME +TYPE +STATUS +SCHEMA +TABLES\r\n/);
  });

  it("shows progress in a terminal, and removes it at the end", async () => {
    const path = join(root, "samples", "receipt-coffee.pdf");
    const argv = ["classify", "run", given.office.classifier, path, "--again"];
    const { exitCode, output } = await inTerminal(argv, { ...connection(), NO_COLOR: "1" });
    expect(exitCode).toBe(0);
    expect(output).toContain("[##############################] 1/1");
    expect(output.slice(output.lastIndexOf("\u001b[2K"))).toMatch(
      /DOCUMENT +STATUS[^]*CLASSIFIED[^]*1 document: 1 classified/,
    );
  });

  it("prompts for the token in a terminal, does not show it, and stores it", async () => {
    const { url, token } = given.system;
    const login = await inTerminal(["login", "--base-url", url], {}, [/Token for .*: /, `${token}\r`]);
    expect(login.exitCode).toBe(0);
    expect(login.output).not.toContain(token);
    expect(login.output).toContain("as Ada of Acme");
    expect((await inTerminal(["whoami"], { NO_COLOR: "1" })).output).toContain("token from:    profile default");
  });

  it("ends with 130 when it is interrupted at the prompt", async () => {
    const login = await inTerminal(["login", "--base-url", given.system.url], {}, [/Token for .*: /, "\u0003"]);
    expect(login.exitCode).toBe(130);
  });
});
