import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports of outgoing connections, which could be taken before the port is used. */
const range = { first: 10_000, end: 30_000 } as const;
const attempts = 100;

/** Finds a loopback port on which nobody listens, for a program that must be given its port. Throws if none is found. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = randomInt(range.first, range.end);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = new Promise<boolean>((resolve) => {
    server.once("listening", () => resolve(true)).once("error", () => resolve(false));
  });
  server.listen(port, "127.0.0.1");
  if (!(await listening)) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}
