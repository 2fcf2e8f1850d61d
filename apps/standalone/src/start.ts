import { createTokenPepper } from "@switchyard/access";
import { closeOnTermination } from "@switchyard/environment";
import { createSignInLinks } from "@switchyard/gateway";
import { createLogger } from "@switchyard/rpc";
import { collectGarbageWhenIdle } from "@switchyard/threads";
import { getFirstStep } from "./commands/organizations.ts";
import { readEngines } from "./config.ts";
import type { Config } from "./config.ts";
import { startDemo } from "./demo/start.ts";
import { openInstallation } from "./installation.ts";
import { startSystem } from "./system.ts";

/**
 * Starts the server, and prints where it serves and how to continue, or with `demo` what the demo did. It ends on a signal to terminate.
 * Rejects if it cannot start.
 */
export async function start(config: Config, demo: boolean): Promise<void> {
  collectGarbageWhenIdle();
  const logger = createLogger({ name: "switchyard", level: config.logLevel, destination: process.stderr });
  const engines = readEngines();
  const { database, secret } = await openInstallation(config);
  const signIn = createSignInLinks();
  const { uri, exclusive } = database;
  const system = await startSystem({ ...config, uri, exclusive, secret, logger, signIn, engines });
  const closing = closeOnTermination(async () => {
    await system.close();
    await database.close();
  });
  const { url, grpcPort } = system.gateway;
  process.stdout.write(
    `Switchyard serves REST and Connect at ${url}, gRPC on port ${grpcPort}, with the ${database.name}.\n`,
  );
  const { dataFolder } = config;
  const demoOptions = { dataFolder, tokenPepper: createTokenPepper(secret), output: process.stdout };
  try {
    if (demo) await startDemo(system, { ...demoOptions, signIn: config.console ? signIn : undefined });
    else process.stdout.write((await getFirstStep(system.configurationStorage)) ?? "");
  } catch (error) {
    // The calls of the demo fail if the system is closed meanwhile.
    if (!closing.aborted) throw error;
  }
}
