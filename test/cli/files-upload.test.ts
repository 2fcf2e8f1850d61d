import { freePort } from "@switchyard/rpc";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { givenOffice } from "../specification/testing/office.ts";
import { createCliRunner, ended } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

describe("files upload", () => {
  const given = givenOffice();
  let cli: CliRunner;
  beforeEach(async () => {
    cli = await createCliRunner(given.system);
    await mkdir(join(cli.home, "inbox"));
    for (const name of ["a", "b", "c"]) await writeFile(join(cli.home, "inbox", `${name}.txt`), `Letter ${name}`);
  });
  afterEach(() => cli.remove());

  const upload = (projectId: string) => ["files", "upload", "inbox", "--project-id", projectId];

  it("continues after the failure of a single file", async () => {
    await writeFile(join(cli.home, "inbox/b.txt"), "");
    const { stdout, stderr } = await ended(cli.run(upload(given.office.projectId)), 1);
    expect([...stdout.matchAll(/\t(\w\.txt)\t/g)].map(([, name]) => name)).toEqual(["a.txt", "c.txt"]);
    expect(stderr).toMatch(/^error: inbox\/b\.txt: .*EMPTY_FILE/);
    expect(stderr).not.toContain("not sent");
  });

  it("stops when the token, the project or the server fails, and says how many files were not sent", async () => {
    const cases: readonly [exitCode: number, projectId: string, environment: Record<string, string>][] = [
      [3, given.office.projectId, { SWITCHYARD_TOKEN: "swo_wrong" }],
      [5, "prj_nothing", {}],
      [7, given.office.projectId, { SWITCHYARD_BASE_URL: `http://127.0.0.1:${await freePort()}` }],
    ];
    for (const [exitCode, projectId, environment] of cases) {
      const { stdout, stderr } = await ended(cli.run(upload(projectId), { environment }), exitCode);
      expect(stdout).toBe("");
      expect(stderr.match(/^error: .*/gm)).toEqual([expect.stringContaining("inbox/a.txt")]);
      expect(stderr).toMatch(/\n2 more files were not sent\.\n$/);
    }
  });
});
