import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, closeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const logger = pathToFileURL(join(import.meta.dirname, "logger.ts")).href;

describe("a logger of standard output", () => {
  it.runIf(existsSync("/dev/full"))("does not stop the process while the disk is full", async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(logger)};
      const logger = createLogger({ name: "test", level: "info" });
      for (let line = 0; line < 3; line += 1) {
        logger.info({ line }, "a line");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      process.stderr.write("done");`;
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", full, "pipe"],
      timeout: 60_000,
    });
    closeSync(full);
    const [written, [exitCode]] = await Promise.all([
      text(child.stderr as NonNullable<typeof child.stderr>),
      once(child, "exit"),
    ]);
    expect([exitCode, written]).toEqual([0, "done"]);
  });
});
