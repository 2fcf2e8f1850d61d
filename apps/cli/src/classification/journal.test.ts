import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openJournal, type RunIdentity } from "./journal.ts";

const identity: RunIdentity = {
  baseUrl: "http://127.0.0.1:8080",
  classifierId: "clf_1",
  extract: true,
  explain: false,
  paths: ["/in"],
};
const one = { path: "/in/a.pdf", sha256: "aa" };
const two = { path: "/in/b.pdf", sha256: "bb" };

describe("openJournal", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-journal-"));
    path = join(folder, "runs", "run.jsonl");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("keeps responses and idempotency keys in a file that only its owner can read", async () => {
    const first = await openJournal(path, identity, false);
    const key = first.getKey(one);
    await first.record(one, '{"id":"cls_1"}');
    await first.close();
    const again = await openJournal(path, identity, false);
    expect(await again.recorded(one)).toBe('{"id":"cls_1"}');
    expect(await again.recorded({ ...one, sha256: "changed" })).toBeUndefined();
    expect(await again.recorded(two)).toBeUndefined();
    expect(again.getKey(one)).toBe(key);
    expect(new Set([key, again.getKey(two), again.getKey({ ...one, sha256: "changed" })]).size).toBe(3);
    await again.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("ignores an incomplete last line, and appends further lines after it", async () => {
    const first = await openJournal(path, identity, false);
    await first.record(one, '{"id":"cls_1"}');
    await first.close();
    await appendFile(path, '{"path":"/in/b.pdf","sha25');
    const second = await openJournal(path, identity, false);
    expect(await second.recorded(two)).toBeUndefined();
    await second.record(two, '{"id":"cls_2"}');
    await second.close();
    const third = await openJournal(path, identity, false);
    expect(await Promise.all([one, two].map((each) => third.recorded(each)))).toEqual([
      '{"id":"cls_1"}',
      '{"id":"cls_2"}',
    ]);
    await third.close();
  });

  it.each(['{"ru', '{"run":"abc'])("begins again after a crash that cut off its first line: %s", async (beginning) => {
    await mkdir(dirname(path));
    await writeFile(path, beginning);
    const first = await openJournal(path, identity, false);
    await first.record(one, '{"id":"cls_1"}');
    await first.close();
    const second = await openJournal(path, identity, false);
    expect(await second.recorded(one)).toBe('{"id":"cls_1"}');
    await second.close();
  });

  it("keeps the responses of two runs that begin it at the same time", async () => {
    const runs = await Promise.all([openJournal(path, identity, false), openJournal(path, identity, false)]);
    await runs[0].record(one, '{"id":"cls_1"}');
    await runs[1].record(two, '{"id":"cls_2"}');
    await runs[0].record({ path: "/in/c.pdf", sha256: "cc" }, "{}");
    await Promise.all(runs.map((run) => run.close()));
    const paths = (await readFile(path, "utf8"))
      .split("\n")
      .flatMap((line) => /"path":"([^"]+)"/.exec(line)?.[1] ?? []);
    expect(paths).toEqual(["/in/a.pdf", "/in/b.pdf", "/in/c.pdf"]);
  });

  // Writes 545 MB.
  it.runIf(process.env["SWITCHYARD_TEST_COUNTS"] === "long")(
    "keeps responses of more text than a string can have",
    async () => {
      const first = await openJournal(path, identity, false);
      const response = JSON.stringify({ text: "x".repeat(2 ** 20) });
      for (let number = 0; number < 520; number += 1) await first.record({ ...one, sha256: `${number}` }, response);
      await first.record(two, '{"id":"cls_2"}');
      await first.close();
      const second = await openJournal(path, identity, false);
      expect(await second.recorded({ ...one, sha256: "519" })).toBe(response);
      expect(await second.recorded(two)).toBe('{"id":"cls_2"}');
      await second.close();
    },
  );

  it("does not touch another file of one line without an end", async () => {
    await mkdir(dirname(path));
    await writeFile(path, "shopping list");
    await expect(openJournal(path, identity, true)).rejects.toThrow("is not a journal of classify run");
    expect(await readFile(path, "utf8")).toBe("shopping list");
  });

  it("discards all responses and uses new keys when the run is restarted", async () => {
    const first = await openJournal(path, identity, false);
    await first.record(one, "{}");
    await first.close();
    const restarted = await openJournal(path, identity, true);
    expect(await restarted.recorded(one)).toBeUndefined();
    expect(restarted.getKey(one)).not.toBe(first.getKey(one));
    await restarted.close();
  });

  it("rejects the journal of another run and a file that is not a journal, and changes neither", async () => {
    await (await openJournal(path, identity, false)).close();
    await expect(openJournal(path, { ...identity, classifierId: "clf_2" }, false)).rejects.toThrow(
      /another classifier/,
    );
    const other = join(folder, "letter.txt");
    await writeFile(other, "Dear all,\nnothing\n");
    for (const restart of [false, true])
      await expect(openJournal(other, identity, restart)).rejects.toThrow(/not a journal/);
    expect(await readFile(other, "utf8")).toBe("Dear all,\nnothing\n");
  });

  it("names the option for another file if it cannot be used, as without a home folder that can be written", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    for (const impossible of [join(file, "below", "run.jsonl"), folder])
      await expect(openJournal(impossible, identity, false)).rejects.toThrow(
        /^the journal cannot be used, --journal names another file: /,
      );
  });
});
