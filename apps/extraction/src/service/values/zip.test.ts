import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { writeZip } from "./zip.ts";
import type { ZipEntry } from "./zip.ts";

async function* entries(...given: ZipEntry[]): AsyncGenerator<ZipEntry, void> {
  for (const entry of given) {
    await turn();
    yield entry;
  }
}

async function read(archive: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of archive) pieces.push(piece);
  return Buffer.concat(pieces);
}

function hasPython(): boolean {
  return spawnSync("python3", ["-c", "import zipfile"]).status === 0;
}

describe("an archive", () => {
  const big = Buffer.alloc(3_000_000, "0123456789abcdef");

  it.skipIf(!hasPython())("is read by another program", async () => {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-zip-"));
    try {
      const path = join(folder, "archive.zip");
      const given = [
        { path: "a/first.txt", bytes: [Buffer.from("first")] },
        { path: "[empty].xml", bytes: [] },
        { path: "big.bin", bytes: [big, big] },
      ];
      await writeFile(path, await read(writeZip(entries(...given))));
      const program =
        "import sys,zipfile,hashlib\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n" +
        "print(*[n+' '+str(len(z.read(n))) for n in z.namelist()],sep='\\n')";
      const listed = execFileSync("python3", ["-c", program, path], { encoding: "utf8" }).trim().split("\n");
      expect(listed).toEqual(["a/first.txt 5", "[empty].xml 0", `big.bin ${2 * big.length}`]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("is the same for the same files", async () => {
    const one = () => read(writeZip(entries({ path: "a", bytes: [big] })));
    expect((await one()).equals(await one())).toBe(true);
  });

  it("reads no more of a file than is taken", async () => {
    let produced = 0;
    const random = async function* (): AsyncGenerator<Uint8Array, void> {
      for (; produced < 1_000; produced += 1) {
        await turn();
        yield crypto.getRandomValues(new Uint8Array(65_536));
      }
    };
    let taken = 0;
    for await (const piece of writeZip(entries({ path: "a", bytes: random() }))) {
      taken += piece.length;
      await turn();
      if (taken > 1_000_000) break;
    }
    expect(produced).toBeLessThan(60);
  });

  it("fails with the error of a file", async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array, void> {
      yield big;
      await turn();
      throw new Error("no more");
    };
    await expect(read(writeZip(entries({ path: "a", bytes: broken() })))).rejects.toThrow("no more");
  });
});
