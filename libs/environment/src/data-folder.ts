import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Creates the folder of SWITCHYARD_DATA, accessible only to its owner, if it does not exist. Throws an error that names the variable, the
 * folder and the reason if the folder cannot be created or written to.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await createFolder(resolve(folder));
    if (!(await stat(folder)).isDirectory()) throw new Error("it is not a folder");
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`SWITCHYARD_DATA: the folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
}

/**
 * Creates a folder and its parents, accessible only to their owner, if they do not exist. The `recursive` option of `mkdir` never returns where
 * folders cannot be created, as in /proc.
 */
export async function createFolder(folder: string): Promise<void> {
  const created = await tryToCreate(folder);
  if (created || dirname(folder) === folder) return;
  await createFolder(dirname(folder));
  if (!(await tryToCreate(folder))) throw new Error("no folder can be created in its parent folder");
}

/** Creates a folder. Returns false if its parent does not exist. */
async function tryToCreate(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code !== "EEXIST") throw error;
  }
  return true;
}
