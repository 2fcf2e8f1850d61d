import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A server in a separate process. */
export interface ServeProcess {
  uri: string;
  /** Kills the process with SIGKILL, and waits until it has ended. */
  kill(): Promise<void>;
}

/**
 * Starts the server as the process of the `serve` target, with its data in `store` of the folder. If it ends before it serves, the promise
 * rejects with its standard error.
 */
export async function startServeProcess(folder: string): Promise<ServeProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], {
    env: { ...process.env, SWITCHYARD_DATA: folder, EMBEDDED_MONGO_PORT: "0", NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let [said, complained] = ["", ""];
  child.stderr.on("data", (chunk) => (complained += String(chunk)));
  const uri = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      const found = /mongodb:\S+/.exec((said += String(chunk)))?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once("close", (code) => reject(new Error(`the server ended with ${code}: ${complained}`)));
  });
  return {
    uri,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
