import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import type { AddressInfo, Server } from "node:net";
import { resolve } from "node:path";

/** Where a server listens. */
export interface Place {
  /** The address as it is written in a connection string. */
  readonly address: string;
  /** The port; undefined for a Unix domain socket. */
  readonly port: number | undefined;
}

const host = "127.0.0.1";

/** Operating systems allow about 100 bytes. The driver decodes a path twice, so it must not contain what looks like an encoded character. */
const usablePath = /^[\w./-]{1,100}$/;

/**
 * Lets a server of a data folder listen: on `port` if there is one, where 0 means any free port. Otherwise, it listens on a Unix domain
 * socket in the folder, which only the user of this process can open, and which is faster; on a free port if the folder cannot contain a
 * socket. The caller must hold the lock of the folder. Throws if the port is in use.
 */
export async function listenLocally(
  listener: Server,
  { folder, port }: { readonly folder: string; readonly port?: number | undefined },
): Promise<Place> {
  const path = resolve(folder, "store.sock");
  const hasSockets = process.platform !== "win32" && folder !== ":memory:";
  if (port === undefined && hasSockets && usablePath.test(path) && (await listenOnSocket(listener, path)))
    return { address: encodeURIComponent(path), port: undefined };
  listener.listen(port ?? 0, host);
  await once(listener, "listening");
  const { port: listening } = listener.address() as AddressInfo;
  return { address: `${host}:${listening}`, port: listening };
}

/** Returns false if the file system does not support sockets, or not their permissions. */
async function listenOnSocket(listener: Server, path: string): Promise<boolean> {
  // A server that was killed has left its socket.
  await rm(path, { force: true });
  listener.listen(path);
  try {
    await once(listener, "listening");
    await chmod(path, 0o600);
    return true;
  } catch {
    // File systems that a virtual machine shares with its host may have sockets, but refuse to change their permissions.
    if (listener.listening) {
      const closed = once(listener, "close");
      listener.close();
      await closed;
    }
    return false;
  }
}
