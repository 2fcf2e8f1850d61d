import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Makes the folder of SWITCHYARD_DATA where it is not there yet, for its owner only. Throws an error that names the variable, the
 * folder and the reason when the folder cannot be made or written to.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await make(resolve(folder));
    if (!(await stat(folder)).isDirectory()) throw new Error("it is not a folder");
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`SWITCHYARD_DATA: the folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
}

/** Makes a folder and those above it. Not by `recursive`: where nothing can be made, as in /proc, that tries for ever. */
async function make(folder: string): Promise<void> {
  const made = await makeOne(folder);
  if (made || dirname(folder) === folder) return;
  await make(dirname(folder));
  if (!(await makeOne(folder))) throw new Error("the folder above it takes no new folders");
}

/** False when the folder above is missing. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code !== "EEXIST") throw error;
  }
  return true;
}
