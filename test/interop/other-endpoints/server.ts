import { spawn } from "node:child_process";
import { once } from "node:events";
import { root } from "../../processes.ts";

/** A server of other authors that was started for tests. */
export interface StartedServer {
  /** What the pattern found in its output. */
  readonly found: RegExpExecArray;
  /** Ends it, and waits until it has ended. */
  end(): Promise<void>;
}

/** Starts a server, and waits until its output matches a pattern, for at most two minutes. Throws with the output if it does not. */
export async function startServer(
  path: string,
  args: readonly string[],
  pattern: RegExp,
  environment: Readonly<Record<string, string>> = {},
): Promise<StartedServer> {
  const child = spawn(path, args, { cwd: root, env: { ...process.env, ...environment } });
  let output = "";
  const found = Promise.withResolvers<RegExpExecArray>();
  const fail = (what: string): void => found.reject(new Error(`${path} ${what}:\n${output}`));
  const timer = setTimeout(fail, 120_000, "was not ready in time");
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const match = pattern.exec(output);
      if (match !== null) found.resolve(match);
    });
  }
  child.once("error", found.reject);
  child.once("close", () => fail("ended"));
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  };
  try {
    return { found: await found.promise, end };
  } catch (error) {
    await end();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
