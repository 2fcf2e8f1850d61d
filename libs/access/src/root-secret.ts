import { makeDataFolder } from "@switchyard/environment";
import { randomBytes } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The source of the root secret: a text in hexadecimal, or else the file `secret` of the folder. */
export interface RootSecretSource {
  secret: string | undefined;
  folder: string;
}

/** Whether a root secret exists. Otherwise `loadRootSecret` creates one. */
export async function hasRootSecret({ secret, folder }: RootSecretSource): Promise<boolean> {
  return secret !== undefined || (await read(join(folder, "secret"))) !== undefined;
}

/**
 * Loads the root secret of an installation, from which all keys are derived. If there is none, a file with 32 random bytes is created,
 * readable only by its owner. Processes that start at the same time agree on one secret. Throws if the secret is shorter than 32 bytes.
 */
export async function loadRootSecret({ secret, folder }: RootSecretSource): Promise<Uint8Array> {
  if (secret !== undefined) return parse(secret, "The root secret");
  const file = join(folder, "secret");
  const stored = await read(file);
  if (stored !== undefined) return parse(stored, file);
  await makeDataFolder(folder);
  // Written under another name first, so that nobody reads an incomplete file. Linking fails if another process was faster.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  try {
    await link(draft, file);
  } catch (error) {
    if (getCode(error) !== "EEXIST") throw error;
  } finally {
    await unlink(draft);
  }
  return parse(await readFile(file, "utf8"), file);
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    // If the folder cannot exist, creating it gives a better error.
    if (getCode(error) === "ENOENT" || getCode(error) === "ENOTDIR") return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The root secret in ${file} cannot be read: ${reason}`, { cause: error });
  }
}

function parse(text: string, where: string): Uint8Array {
  const digits = text.trim();
  if (!/^([0-9a-fA-F]{2}){32,}$/.test(digits)) throw new Error(`${where} must be at least 32 bytes in hexadecimal`);
  return new Uint8Array(Buffer.from(digits, "hex"));
}

function getCode(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
