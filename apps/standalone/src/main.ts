import { createTokenPepper, loadRootSecret } from "@switchyard/access";
import { bootstrapOrganization, databaseName } from "@switchyard/configuration";
import { createLogger } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { openDatabase } from "./database.ts";
import { startDemo } from "./demo/start.ts";
import { move, readMoveCommand } from "./moving.ts";
import { startSystem } from "./system.ts";

const usage = `switchyard-server: what runs on the server

  switchyard-server start             all services in one process, until it is ended
  switchyard-server start --demo      the same; the first time with a demo organization and sample documents
  switchyard-server bootstrap NAME    a new organization of this name, with a user, a team and a token of every permission

  switchyard-server store export [ARCHIVE]
      everything in the embedded store of the data folder into a new folder, ARCHIVE, else one in the data folder

  switchyard-server store import [--replace] [ARCHIVE]
      everything in ARCHIVE, else in the embedded store, into the MongoDB of MONGODB_URI, and compares it afterwards;
      it can be run again. What differs there is refused; with --replace, what is there is removed before

  The way back: store export --from-mongodb, store import --to-embedded
`;

async function start(config: Config, demo: boolean): Promise<void> {
  const logger = createLogger({ name: "switchyard", level: config.logLevel, destination: process.stderr });
  const secret = await loadRootSecret({ secret: config.secret, folder: config.dataFolder });
  const database = await openDatabase(config);
  const system = await startSystem({ ...config, uri: database.uri, secret, logger });
  const end = (): void => {
    void system
      .close()
      .then(() => database.close())
      .then(() => process.exit(0));
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  const { url, grpcPort } = system.gateway;
  process.stdout.write(
    `Switchyard serves REST and Connect at ${url}, gRPC on port ${grpcPort}, with the ${database.name}.\n`,
  );
  if (!demo) return;
  await startDemo(system, {
    dataFolder: config.dataFolder,
    tokenPepper: createTokenPepper(secret),
    output: process.stdout,
  });
}

/** Creates an organization in the database that the environment names, and prints its token, once. */
async function bootstrap(config: Config, organizationName: string): Promise<void> {
  const tokenPepper = createTokenPepper(await loadRootSecret({ secret: config.secret, folder: config.dataFolder }));
  const database = await openDatabase(config);
  const storage = await connectStorage({ uri: database.uri, database: databaseName });
  const names = { organizationName, userName: "Administrator", tokenName: "First token" };
  const { organization, secret } = await bootstrapOrganization({ storage, tokenPepper }, names);
  process.stderr.write(`Organization ${organization.name} (${organization.id}). Its token, shown only once:\n`);
  process.stdout.write(`${secret}\n`);
  await storage.close();
  await database.close();
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  const [argument] = args;
  const moving = command === "store" ? readMoveCommand(args) : undefined;
  if (moving !== undefined) return move(readConfig(), moving, (text) => process.stdout.write(text));
  if (command === "start" && args.every((flag) => flag === "--demo")) return start(readConfig(), args.length > 0);
  const name = argument?.trim() ?? "";
  if (command === "bootstrap" && args.length === 1 && name !== "") return bootstrap(readConfig(), name);
  process.stderr.write(usage);
  process.exitCode = command === "help" || command === "--help" ? 0 : 2;
}

// Whoever reads the output may stop reading, as `head` does; the server goes on.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`switchyard-server: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
