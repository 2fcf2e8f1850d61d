import { parseCommandLine } from "./commands/command-line.ts";
import { explainFailure } from "./failure.ts";
import { version } from "./version.ts";

const output = {
  out: (text: string) => void process.stdout.write(text),
  error: (text: string) => void process.stderr.write(text),
};

/**
 * Handles output that cannot be written: the reader of a pipe may have ended, as `head` does, and the disk of a log may be full. A server
 * continues without it. Another command fails, because what it prints is lost, such as a token; but not if its reader has read enough.
 */
function handleOutputErrors(isServer: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!isServer && error.code !== "EPIPE") fail(`the output cannot be written: ${error.message}`);
    });
  }
}

function fail(message: string): never {
  process.stderr.write(`switchyard-server: ${message}\n`);
  process.exit(1);
}

try {
  const parsed = parseCommandLine(process.argv.slice(2), version, output);
  handleOutputErrors(parsed.command?.kind === "start");
  if (parsed.command === undefined) process.exitCode = parsed.exitCode;
  // Only what is needed is loaded: most of the time of a command that prints help or the version would be loading the rest.
  else await (await import("./commands/run-command.ts")).runCommand(parsed.command, output);
} catch (error) {
  fail(explainFailure(error));
}
