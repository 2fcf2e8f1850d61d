import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Io } from "../terminal/io.ts";

/** A named server with a token for it. */
export interface Profile {
  readonly baseUrl: string;
  readonly token: string;
}

/** The profiles that `login` stores, in a file that only its owner can read. */
export interface ProfileStore {
  /** The path of the file. */
  readonly path: string;
  get(name: string): Promise<Profile | undefined>;
  /** Stores a profile under a name. The file is created with mode 0600 and replaced atomically. */
  set(name: string, profile: Profile): Promise<void>;
  /** Removes a profile. Resolves with false if it did not exist. */
  remove(name: string): Promise<boolean>;
}

/** The name of the default profile. */
export const defaultProfile = "default";

/** Opens the profiles in the user's configuration folder. The file is created with the first profile. */
export function createProfileStore(io: Pick<Io, "environment" | "home">): ProfileStore {
  const path = join(configurationFolder(io), "profiles.json");

  async function read(): Promise<Record<string, Profile>> {
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw error;
    }
    try {
      const { profiles } = JSON.parse(text) as { profiles: Record<string, Profile> };
      return Object.fromEntries(
        Object.entries(profiles).filter(([, { baseUrl, token }]) => isText(baseUrl) && isText(token)),
      );
    } catch {
      throw new Error(`${path} is not a profile file; move it to another place and log in again`);
    }
  }

  async function write(profiles: Record<string, Profile>): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const next = `${path}.${process.pid}`;
    await writeFile(next, `${JSON.stringify({ profiles }, undefined, 2)}\n`, { mode: 0o600 });
    // The mode only applies to a new file, and a crash may have left an old one.
    await chmod(next, 0o600);
    await rename(next, path);
  }

  return {
    path,
    async get(name) {
      const profiles = await read();
      return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    },
    async set(name, profile) {
      await write({ ...(await read()), [name]: profile });
    },
    async remove(name) {
      const profiles = await read();
      if (!Object.hasOwn(profiles, name)) return false;
      const { [name]: _, ...others } = profiles;
      await write(others);
      return true;
    },
  };
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function configurationFolder({ environment, home }: Pick<Io, "environment" | "home">): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: windows } = environment;
  return join(xdg || (process.platform === "win32" && windows) || join(home, ".config"), "switchyard");
}
