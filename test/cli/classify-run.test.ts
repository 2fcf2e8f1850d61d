import { documentExtensions } from "@switchyard/cli";
import { createDocx, createOpenDocument, createPptx, createXlsx } from "@switchyard/extraction/testing/office";
import { drawText } from "@switchyard/extraction/testing/pictures";
import { createTiff, toTiffPage } from "@switchyard/extraction/testing/tiff";
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sample } from "../journeys/fixture.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createCliRunner, ended } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

describe("classify run", () => {
  const given = givenOffice();
  let cli: CliRunner;
  beforeEach(async () => {
    cli = await createCliRunner(given.system);
  });
  afterEach(() => cli.remove());

  const run = (...words: string[]) => ["classify", "run", given.office.classifier, ...words, "--no-extract"];
  const count = async (): Promise<number> =>
    (await given.rest.get(`/api/v1/classify/${given.office.classifier}`)).body.classificationCount;

  /** Creates a folder of documents, including one that the server rejects and one that is too large. */
  async function writeInbox(): Promise<void> {
    await mkdir(join(cli.home, "inbox/deep"), { recursive: true });
    for (const name of ["a.txt", "c.txt", "deep/d.txt", "deep/e.txt"])
      await writeFile(
        join(cli.home, "inbox", name),
        `Invoice number INV-${name}, invoice date 2026-10-01, total due 12.00`,
      );
    await writeFile(join(cli.home, "inbox/b-empty.txt"), "");
    await writeFile(join(cli.home, "inbox/z-large.pdf"), "");
    await truncate(join(cli.home, "inbox/z-large.pdf"), 26 * 1024 * 1024);
  }

  it("reports every document in order, continues after failed ones, and resumes with the remaining ones", async () => {
    await writeInbox();
    const before = await count();
    const first = await ended(cli.run(run("inbox")), 1);
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
    expect(first.stderr).toMatch(/^error: inbox\/b-empty\.txt: .*\(400 EMPTY_FILE\)\n {2}request ID: \S+$/m);
    expect(first.stderr).toMatch(/^error: inbox\/z-large\.pdf: larger than the 25 MiB/m);
    expect(first.stderr).toContain("6 documents: 4 classified, 0 unclassified, 2 failed.");
    expect(await count()).toBe(before + 4);

    await writeFile(join(cli.home, "inbox/b-empty.txt"), "Receipt: shop, cashier, coffee, total 3.20");
    await writeFile(join(cli.home, "inbox/z-large.pdf"), "nothing of note");
    const second = await ended(cli.run([...run("inbox"), "--fail-on-unclassified"]), 8);
    expect(second.stderr).toMatch(
      /^6 documents: 5 classified, 1 unclassified\. 4 of them had already been classified, according to .*\.jsonl;/,
    );
    // Earlier results are printed again unchanged.
    for (const row of rows.filter(([, status]) => status === "CLASSIFIED"))
      expect(second.stdout).toContain(row.join("\t"));
    expect(await count()).toBe(before + 6);
    await ended(cli.run(run("inbox")), 0);
    expect(await count()).toBe(before + 6);
    await ended(cli.run([...run("inbox"), "--again"]), 0);
    expect(await count()).toBe(before + 12);
  });

  it("says how it is continued, which is without --again", async () => {
    await writeFile(join(cli.home, "a.txt"), "");
    expect((await ended(cli.run(run("a.txt")), 1)).stderr).toContain("Repeat the command to continue.");
    const again = await ended(cli.run([...run("a.txt"), "--again"]), 1);
    expect(again.stderr).toContain("Repeat the command without --again to continue.");
  });

  it("prints the record of each document as a line of JSON", async () => {
    await writeInbox();
    const argv = [...run("inbox/*.txt", "inbox/deep"), "--output", "json", "--concurrency", "2"];
    const { stdout } = await ended(cli.run(argv), 1);
    const records = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records.map(({ filename }) => filename)).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
    const [{ id }] = records;
    const { text } = await given.rest.get(`/api/v1/classify/${given.office.classifier}/classifications/${id}`);
    expect(stdout.split("\n")[0]).toBe(text);
  });

  it("warns about documents of which only the first part was read", async () => {
    const page = "Invoice number INV-1, invoice date 2026-10-01, total due 12.00";
    // Control characters in a name have no effect on the terminal.
    const name = "long\u001b[1m.txt";
    await writeFile(join(cli.home, name), Array(201).fill(page).join("\f"));
    const argv = ["classify", "run", given.office.classifier, name];
    const { stdout, stderr } = await ended(cli.run(argv), 0);
    expect(stderr).toMatch(/^warning: long\\u001b\[1m\.txt: Only the first 200 pages were read\.$/m);
    const [id = "", extraction = ""] = stdout.match(/(cls|ext)_\w+/g) ?? [];
    for (const get of [
      ["classify", "results", given.office.classifier, id],
      ["extractions", "get", extraction],
    ]) {
      expect((await ended(cli.run(get), 0)).stdout).toMatch(/^warning\tOnly the first 200 pages were read\.$/m);
    }
  });

  it("reads a document or a list of paths from standard input", async () => {
    const text = "Invoice number INV-7, invoice date 2026-10-01, total due 12.00";
    const one = await ended(cli.run([...run("-"), "--filename", "letter.txt", "--output", "json"], { stdin: text }), 0);
    expect(JSON.parse(one.stdout)).toMatchObject({ filename: "letter.txt", routeName: "Invoice" });
    await writeInbox();
    const list = await ended(
      cli.run([...run(), "--paths-from", "-"], { stdin: "\ufeffinbox/a.txt\r\ninbox/deep\r\n" }),
      0,
    );
    expect(list.stdout.trimEnd().split("\n")).toHaveLength(4);
    await ended(cli.run([...run("-"), "--paths-from", "-"], { stdin: "" }), 2);
  });

  it("makes its journal readable by its owner only, and rejects the journal of another run", async () => {
    await writeInbox();
    const journal = ["--journal", join(cli.home, "run.jsonl")];
    await ended(cli.run([...run("inbox/a.txt"), ...journal]), 0);
    const { stderr } = await ended(cli.run([...run("inbox/a.txt"), "--explain", ...journal]), 2);
    expect(stderr).toContain("not the journal of this run");
    await ended(cli.run(run("inbox/a.txt")), 0);
    const runs = join(cli.home, ".local/state/switchyard/runs");
    const [name = ""] = await readdir(runs);
    expect(await readFile(join(runs, name), "utf8")).not.toContain(given.system.token);
  });

  it("sends nothing more once the classifier or the token is rejected", async () => {
    await writeInbox();
    const unknown = await ended(cli.run(["classify", "run", "clf_nothing", "inbox", "--concurrency", "1"]), 5);
    expect(unknown.stderr).toContain("6 documents: 0 classified, 0 unclassified, 1 failed, 5 not sent.");
    const environment = { SWITCHYARD_TOKEN: "swo_wrong" };
    await ended(cli.run(run("inbox", "--concurrency", "1"), { environment }), 3);
  });

  it("reports that nothing was sent if the token may not classify", async () => {
    await writeInbox();
    const body = { name: "Reader", scope: "PROJECT", projectId: given.office.projectId, permissions: ["models:read"] };
    const { secret } = await getBody(given.rest.post("/api/v1/tokens", body), 201);
    const before = await count();
    const { stdout, stderr } = await ended(cli.run(run("inbox"), { environment: { SWITCHYARD_TOKEN: secret } }), 4);
    expect([stdout, stderr]).toEqual(["", expect.stringMatching(/lacks the permission classify, so nothing was sent/)]);
    expect(await count()).toBe(before);
  });

  describe("a folder with documents and other files", () => {
    const labels = (stdout: string): string[] => [...stdout.matchAll(/^folder\/(\S+)/gm)].map(([, name = ""]) => name);
    beforeEach(async () => {
      await mkdir(join(cli.home, "folder"));
      for (const name of ["a.txt", "b.ts", "README.md"])
        await writeFile(join(cli.home, "folder", name), `Invoice number INV-${name}, total due 12.00`);
      await writeFile(join(cli.home, "folder/scan"), await sample("invoice-harbour-lane.pdf"));
    });

    it("has its documents sent and its other files listed, if there is no terminal for a prompt", async () => {
      const { stdout, stderr } = await ended(cli.run(run("folder")), 0);
      expect(labels(stdout)).toEqual(["a.txt", "scan"]);
      expect(stderr).toMatch(/^Skipped: 2 files .*: folder\/README\.md, folder\/b\.ts\. --all-files sends them\.$/m);
      expect(labels((await ended(cli.run(run("folder", "--all-files")), 0)).stdout)).toHaveLength(4);
      // Files that are named explicitly are sent whatever their type.
      expect(labels((await ended(cli.run(run("folder", "folder/b.ts")), 0)).stdout)).toEqual(["a.txt", "b.ts", "scan"]);
      await rm(join(cli.home, "folder/a.txt"));
      await rm(join(cli.home, "folder/scan"));
      expect((await ended(cli.run(run("folder")), 2)).stderr).toContain("Nothing was sent; --all-files");
    });

    it("causes a prompt in a terminal, where only yes sends all files", async () => {
      for (const [types, sent] of [
        ["n\n", ["a.txt", "scan"]],
        ["\n", ["a.txt", "scan"]],
        ["y\n", ["README.md", "a.txt", "b.ts", "scan"]],
      ] as const) {
        const { stdout, stderr } = await ended(cli.run(run("folder"), { terminal: 200, types }), 0);
        expect(stderr).toContain("folder/README.md, folder/b.ts. Send them too? [y/N] ");
        expect(labels(stdout)).toEqual(sent);
      }
    });
  });

  it("sends all documents of a folder that the service can read", async () => {
    const line = "Invoice number INV-1, total due 12.00";
    const picture = drawText([line]);
    const page = toTiffPage(picture.getContext("2d").getImageData(0, 0, picture.width, picture.height));
    const contents = new Map<string, string | Uint8Array>([
      ["pdf", await sample("invoice-harbour-lane.pdf")],
      ["docx", createDocx([line])],
      ["xlsx", createXlsx({ Sheet: [[line]] })],
      ["pptx", createPptx([[line]])],
      ["odt", createOpenDocument("text", [line])],
      ["ods", createOpenDocument("spreadsheet", [[[line]]])],
      ["png", picture.toBuffer("image/png")],
      ["jpg", picture.toBuffer("image/jpeg")],
      ["jpeg", picture.toBuffer("image/jpeg")],
      ["gif", picture.toBuffer("image/gif")],
      ["webp", picture.toBuffer("image/webp")],
      ["tif", createTiff([page])],
      ["tiff", createTiff([page])],
      ...["csv", "eml", "htm", "html", "rtf", "tsv", "txt", "xml"].map((ending) => [ending, line] as const),
    ]);
    await mkdir(join(cli.home, "formats"));
    for (const [ending, bytes] of contents) await writeFile(join(cli.home, "formats", `document.${ending}`), bytes);
    const { stdout, stderr } = await ended(cli.run([...run("formats"), "-o", "json"]), 0);
    expect(stderr).not.toContain("Skipped");
    const records = stdout
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(records.map(({ filename }) => filename.slice("document.".length))).toEqual([...contents.keys()].sort());
    for (const { filename, reason } of records)
      expect(["UNSUPPORTED_FORMAT", "UNREADABLE_FILE"], filename).not.toContain(reason?.code);
    expect([...contents.keys()].sort()).toEqual([...documentExtensions].sort());
  }, 60_000);

  it.skipIf(process.platform === "win32")(
    "reports a file of a folder that cannot be opened, and sends the others",
    async () => {
      await mkdir(join(cli.home, "mixed"));
      await writeFile(join(cli.home, "mixed/a.txt"), "Invoice number INV-1, total due 12.00");
      // A file whose name is not UTF-8 cannot be opened by the text that is shown.
      await writeFile(Buffer.concat([Buffer.from(join(cli.home, "mixed/b")), Buffer.of(0xff)]), "x");
      const { stdout, stderr } = await ended(cli.run(run("mixed")), 1);
      expect(stdout).toContain("mixed/a.txt\tCLASSIFIED");
      expect(stdout).toMatch(/^mixed\/b\ufffd\tFAILED/m);
      expect(stderr).toContain("1 failed");
    },
  );
});
