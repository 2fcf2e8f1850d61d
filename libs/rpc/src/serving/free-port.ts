import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections: one of those may be taken between the look and the use. */
const range = { first: 10_000, end: 30_000 } as const;
const attempts = 100;

/** A loopback port that nobody listens on, for a program that must be told its port. Throws when none can be found. */
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
