import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getDataFilePath } from "./data-file.ts";
import { Sqlite } from "./sqlite.ts";
import { checkFrames } from "./write-ahead-log.ts";

describe("a disk", () => {
  let folder: string;
  let sqlite: Sqlite;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
    sqlite = new Sqlite(folder);
  });
  afterEach(async () => {
    await sqlite.close();
    await rm(folder, { recursive: true });
  });

  const write = (name: string, bytes: number): void =>
    sqlite.unit(() => {
      const sql = "INSERT INTO sessions (key, number, reply, used) VALUES (?, ?, ?, 0)";
      sqlite.run(sql, name, "", randomBytes(bytes));
    });
  const written = (): unknown[] =>
    sqlite
      .statement("SELECT key FROM sessions ORDER BY key")
      .all()
      .map(({ key }) => key);
  const limit = (pages: number): unknown => sqlite.statement(`PRAGMA max_page_count = ${pages}`).get();

  it("that is full causes an error, keeps what was written, and can be used again after space was freed", async () => {
    write("a", 50_000);
    limit(60);
    const fill = (): void => write("b", 400_000);
    expect(fill).toThrow(expect.objectContaining({ codeName: "OutOfDiskSpace" }));
    expect(sqlite.failure?.codeName).toBe("OutOfDiskSpace");
    expect(written()).toEqual(["a"]);
    // A small write still fits, but not the sizes that services write.
    write("c", 10);
    await sqlite.flushed();
    await sqlite.heal();
    expect(sqlite.failure?.codeName).toBe("OutOfDiskSpace");
    limit(100_000);
    await sqlite.heal();
    expect(sqlite.failure).toBeUndefined();
    write("d", 400_000);
    expect(written()).toEqual(["a", "c", "d"]);
  });

  it("that lost part of the log is detected", () => {
    write("a", 20_000);
    const { log: frames } = sqlite.statement("PRAGMA wal_checkpoint(NOOP)").get() as { log: number };
    expect(frames).toBeGreaterThan(3);
    const log = openSync(`${getDataFilePath(folder)}-wal`, "r+");
    checkFrames(log, frames);
    expect(() => checkFrames(log, frames + 1)).toThrow();
    const [place] = [readFileSync(log).length - 2_000];
    writeSync(log, Buffer.from([1, 2, 3, 4]), 0, 4, place);
    expect(() => checkFrames(log, frames)).toThrow(/not what was written/);
    closeSync(log);
  });
});
