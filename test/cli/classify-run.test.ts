import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { givenOffice } from "../specification/office.ts";
import { createDesk, ended } from "./terminal.ts";
import type { Desk } from "./terminal.ts";

describe("classify run", () => {
  const given = givenOffice();
  let desk: Desk;
  beforeEach(async () => {
    desk = await createDesk(given.system);
  });
  afterEach(() => desk.remove());

  const run = (...words: string[]) => ["classify", "run", given.office.classifier, ...words, "--no-extract"];
  const count = async (): Promise<number> =>
    (await given.rest.get(`/api/v1/classify/${given.office.classifier}`)).body.classificationCount;

  /** A folder of documents, which holds one that the server refuses and one that is too large for it. */
  async function writeInbox(): Promise<void> {
    await mkdir(join(desk.home, "inbox/deep"), { recursive: true });
    for (const name of ["a.txt", "c.txt", "deep/d.txt", "deep/e.txt"])
      await writeFile(
        join(desk.home, "inbox", name),
        `Invoice number INV-${name}, invoice date 2026-10-01, total due 12.00`,
      );
    await writeFile(join(desk.home, "inbox/b-empty.txt"), "");
    await writeFile(join(desk.home, "inbox/z-large.pdf"), "");
    await truncate(join(desk.home, "inbox/z-large.pdf"), 26 * 1024 * 1024);
  }

  it("reports every document in order, fails for some and does the others, and goes on with what is left", async () => {
    await writeInbox();
    const before = await count();
    const first = await ended(desk.run(run("inbox")), 1);
    const rows = first.stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split("\t"));
    expect(rows.map(([label, status]) => `${label} ${status}`)).toEqual([
      "inbox/a.txt CLASSIFIED",
      "inbox/b-empty.txt FAILED",
      "inbox/c.txt CLASSIFIED",
      "inbox/deep/d.txt CLASSIFIED",
      "inbox/deep/e.txt CLASSIFIED",
      "inbox/z-large.pdf FAILED",
    ]);
    expect(first.stderr).toMatch(/^error: inbox\/b-empty\.txt: .*\(400 EMPTY_FILE\)\n {2}request id: \S+$/m);
    expect(first.stderr).toMatch(/^error: inbox\/z-large\.pdf: larger than the 25 MiB/m);
    expect(first.stderr).toContain("6 documents: 4 classified, 0 unclassified, 2 failed.");
    expect(await count()).toBe(before + 4);

    await writeFile(join(desk.home, "inbox/b-empty.txt"), "Receipt: shop, cashier, coffee, total 3.20");
    await writeFile(join(desk.home, "inbox/z-large.pdf"), "nothing of note");
    const second = await ended(desk.run([...run("inbox"), "--fail-on-unclassified"]), 8);
    expect(second.stderr).toMatch(/^6 documents: 5 classified, 1 unclassified\. 4 of them before, by .*\.jsonl;/);
    // What was known is told again as it was.
    for (const row of rows.filter(([, status]) => status === "CLASSIFIED"))
      expect(second.stdout).toContain(row.join("\t"));
    expect(await count()).toBe(before + 6);
    await ended(desk.run(run("inbox")), 0);
    expect(await count()).toBe(before + 6);
    await ended(desk.run([...run("inbox"), "--again"]), 0);
    expect(await count()).toBe(before + 12);
  });

  it("prints, as JSON, the body of each document in a line", async () => {
    await writeInbox();
    const argv = [...run("inbox/*.txt", "inbox/deep"), "--output", "json", "--concurrency", "2"];
    const { stdout } = await ended(desk.run(argv), 1);
    const records = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records.map(({ filename }) => filename)).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
    const [{ id }] = records;
    const { text } = await given.rest.get(`/api/v1/classify/${given.office.classifier}/classifications/${id}`);
    expect(stdout.split("\n")[0]).toBe(text);
  });

  it("takes a document, or a list of paths, on standard input", async () => {
    const text = "Invoice number INV-7, invoice date 2026-10-01, total due 12.00";
    const one = await ended(
      desk.run([...run("-"), "--filename", "letter.txt", "--output", "json"], { stdin: text }),
      0,
    );
    expect(JSON.parse(one.stdout)).toMatchObject({ filename: "letter.txt", routeName: "Invoice" });
    await writeInbox();
    const list = await ended(desk.run([...run(), "--paths-from", "-"], { stdin: "inbox/a.txt\ninbox/deep\n" }), 0);
    expect(list.stdout.trimEnd().split("\n")).toHaveLength(4);
    await ended(desk.run([...run("-"), "--paths-from", "-"], { stdin: "" }), 2);
  });

  it("keeps its journal for its owner only, and one of another run is refused", async () => {
    await writeInbox();
    const journal = ["--journal", join(desk.home, "run.jsonl")];
    await ended(desk.run([...run("inbox/a.txt"), ...journal]), 0);
    const { stderr } = await ended(desk.run([...run("inbox/a.txt"), "--explain", ...journal]), 2);
    expect(stderr).toContain("not the journal of this run");
    await ended(desk.run(run("inbox/a.txt")), 0);
    const runs = join(desk.home, ".local/state/switchyard/runs");
    const [name = ""] = await readdir(runs);
    expect(await readFile(join(runs, name), "utf8")).not.toContain(given.system.token);
  });

  it("sends nothing more once the classifier or the token does not do", async () => {
    await writeInbox();
    const unknown = await ended(desk.run(["classify", "run", "clf_nothing", "inbox", "--concurrency", "1"]), 5);
    expect(unknown.stderr).toContain("6 documents: 0 classified, 0 unclassified, 1 failed, 5 not sent.");
    const environment = { SWITCHYARD_TOKEN: "swo_wrong" };
    await ended(desk.run(run("inbox", "--concurrency", "1"), { environment }), 3);
  });
});
