import { createTokenPepper } from "@switchyard/access";
import { readConfig } from "../config.ts";
import type { Config } from "../config.ts";
import { openInstallation } from "../installation.ts";
import type { Outputs, ServerCommand } from "./command-line.ts";
import { bootstrap, issueToken } from "./organizations.ts";
import type { OrganizationCommandOptions } from "./organizations.ts";
import { changeQuotas } from "./quota.ts";
import { transferStore } from "./store-transfer.ts";

/** Runs a command of `switchyard-server`. Resolves when it is done; for `start`, when the server is listening. */
export async function runCommand(command: ServerCommand, output: Outputs): Promise<void> {
  try {
    await run(command, output);
  } catch (error) {
    const { name = "", message } = error as Partial<Error>;
    if (!name.startsWith("Mongo") || readConfig().mongodbUri === undefined) throw error;
    throw new Error(`MONGODB_URI: ${message}`, { cause: error });
  }
}

async function run(command: ServerCommand, output: Outputs): Promise<void> {
  switch (command.kind) {
    // Only what a command needs is loaded, because loading the services takes longer than most commands. The configuration is read first, so
    // that an invalid variable is refused at once.
    case "start": {
      const config = readConfig();
      return (await import("../start.ts")).start(config, command.demo);
    }
    case "bootstrap":
      return administer(readConfig(), output, (options) =>
        bootstrap(options, command.organizationName, command.another),
      );
    case "token":
      return administer(readConfig(), output, (options) => issueToken(options, command.organization));
    case "quota":
      return administer(readConfig(), output, (options) =>
        changeQuotas(options, command.organization, command.changes),
      );
    case "models":
      return (await import("./models.ts")).fetchModels(command, {
        dataFolder: readConfig().dataFolder,
        write: output.out,
      });
    case "export":
    case "import":
      return transferStore(readConfig(), command, output.out);
  }
}

/** Runs an administrative task on the organizations of the configured database. */
async function administer(
  config: Config,
  output: Outputs,
  task: (options: OrganizationCommandOptions) => Promise<void>,
): Promise<void> {
  const { database, secret } = await openInstallation(config);
  try {
    await task({ uri: database.uri, tokenPepper: createTokenPepper(secret), output });
  } finally {
    await database.close();
  }
}
