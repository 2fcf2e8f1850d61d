import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The root secret of an installation, from which the keys of all services are derived: the one given (hexadecimal, at least
 * 32 bytes), else the one in the file `secret` of the data folder, which is made at the first start, readable by its owner only.
 * Several processes may do this at once; they all get the same. Throws for a secret that is not hexadecimal or too short.
 */
export async function loadRootSecret(folder: string, given?: string): Promise<Uint8Array> {
  if (given !== undefined) return parse(given, "SWITCHYARD_SECRET");
  const file = join(folder, "secret");
  await mkdir(folder, { recursive: true });
  await createOnce(file, `${randomBytes(32).toString("hex")}\n`);
  return parse((await readFile(file, "utf8")).trim(), file);
}

function parse(text: string, source: string): Uint8Array {
  if (!/^([0-9a-f]{2}){32,}$/i.test(text)) throw new Error(`${source} must be hexadecimal, of at least 32 bytes`);
  return new Uint8Array(Buffer.from(text, "hex"));
}

/** Makes a file unless it exists. A link, unlike a file that is being written, is there with all its content or not at all. */
async function createOnce(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
