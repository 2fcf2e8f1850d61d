import { createTokenPepper, loadRootSecret } from "@switchyard/access";
import { createLogger } from "@switchyard/rpc";
import { readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { openDatabase } from "./database.ts";
import { startDemo } from "./demo/start.ts";
import { startSystem } from "./system.ts";

const usage = `switchyard-server: everything that runs on the server

  switchyard-server start          all services in one process, until it is ended
  switchyard-server start --demo   the same; the first time with a demo organization and sample documents
`;

async function start(config: Config, { demo }: { demo: boolean }): Promise<void> {
  const logger = createLogger({ name: "switchyard", level: config.logLevel, destination: process.stderr });
  const secret = await loadRootSecret({ secret: config.secret, folder: config.dataFolder });
  const database = await openDatabase(config);
  const system = await startSystem({ ...config, uri: database.uri, secret, logger });
  const end = (): void => {
    process.exitCode = 0;
    void system.close().then(() => database.close());
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  const { url, grpcPort } = system.gateway;
  process.stdout.write(
    `Switchyard serves REST and Connect at ${url}, gRPC on port ${grpcPort}, with the ${database.name}.\n`,
  );
  if (demo)
    await startDemo(system, {
      dataFolder: config.dataFolder,
      tokenPepper: createTokenPepper(secret),
      output: process.stdout,
    });
}

const [command, ...flags] = process.argv.slice(2);
try {
  const unknown = flags.filter((flag) => flag !== "--demo");
  if (command !== "start" || unknown.length > 0) {
    process.stderr.write(usage);
    process.exitCode = command === "help" || command === "--help" ? 0 : 2;
  } else {
    await start(readConfig(), { demo: flags.includes("--demo") });
  }
} catch (error) {
  process.stderr.write(`switchyard-server: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
