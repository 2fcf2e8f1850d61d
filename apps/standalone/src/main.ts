import { createTokenPepper } from "@switchyard/access";
import { parseCommandLine } from "./commands/command-line.ts";
import type { ServerCommand } from "./commands/command-line.ts";
import { readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { openInstallation } from "./installation.ts";
import { transferStore } from "./commands/store-transfer.ts";
import { bootstrap, issueToken } from "./commands/organizations.ts";
import { changeQuotas } from "./commands/quota.ts";
import type { OrganizationCommandOptions } from "./commands/organizations.ts";
import { version } from "./version.ts";

const output = {
  out: (text: string) => void process.stdout.write(text),
  error: (text: string) => void process.stderr.write(text),
};

/** Runs an administrative task on the organizations of the configured database. */
async function administer(config: Config, run: (options: OrganizationCommandOptions) => Promise<void>): Promise<void> {
  const { database, secret } = await openInstallation(config);
  try {
    await run({ uri: database.uri, tokenPepper: createTokenPepper(secret), output });
  } finally {
    await database.close();
  }
}

async function run(command: ServerCommand): Promise<void> {
  switch (command.kind) {
    // Only what a command needs is loaded: the services take longer to load than other commands take.
    case "start":
      return (await import("./start.ts")).start(readConfig(), command.demo);
    case "bootstrap":
      return administer(readConfig(), (options) => bootstrap(options, command.organizationName, command.another));
    case "token":
      return administer(readConfig(), (options) => issueToken(options, command.organization));
    case "quota":
      return administer(readConfig(), (options) => changeQuotas(options, command.organization, command.changes));
    case "models":
      return (await import("./commands/models.ts")).fetchModels(command, {
        dataFolder: readConfig().dataFolder,
        write: output.out,
      });
    case "export":
    case "import":
      return transferStore(readConfig(), command, output.out);
  }
}

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
  else await run(parsed.command);
} catch (error) {
  const { code, message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  // The most common reason why a first start fails.
  const advice = "Stop the program that uses it, or set PORT and GRPC_PORT to other ports (0 is any free port).";
  fail(code === "EADDRINUSE" ? `${message}. ${advice}` : message);
}
