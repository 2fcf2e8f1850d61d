import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { QuotaChanges } from "@switchyard/configuration";
import type { Quotas } from "@switchyard/storage";
import type { ModelsCommand } from "./models.ts";
import type { TransferCommand } from "./store-transfer.ts";

/** The quotas with the names of their options, and the unit of those that are not numbers of something. */
export const quotaOptions: readonly { quota: keyof Quotas; name: string; unit: number; description: string }[] = [
  { quota: "classifiers", name: "classifiers", unit: 1, description: "the number of classifiers" },
  { quota: "models", name: "models", unit: 1, description: "the number of models" },
  { quota: "schemaVersions", name: "schema-versions", unit: 1, description: "the number of versions of schemas" },
  { quota: "storedBytes", name: "stored-gigabytes", unit: 1024 ** 3, description: "the size of all files in GiB" },
];

/** A parsed command of `switchyard-server`. */
export type ServerCommand =
  | { kind: "start"; demo: boolean }
  | { kind: "bootstrap"; organizationName: string; another: boolean }
  | { kind: "token"; organization: string }
  | { kind: "quota"; organization: string; changes: QuotaChanges }
  | ModelsCommand
  | TransferCommand;

/** The functions that print help and errors. */
export interface Outputs {
  out: (text: string) => void;
  error: (text: string) => void;
}

/** A parsed command; or the exit code if the arguments asked for help or the version (0), or were invalid (2). */
export type Parsed = { readonly command: ServerCommand } | { readonly command: undefined; readonly exitCode: 0 | 2 };

/**
 * Parses the arguments of `switchyard-server`. Prints help, the version, or an error. The error for an unknown command or option
 * suggests the most similar one.
 */
export function parseCommandLine(argv: readonly string[], version: string, { out, error }: Outputs): Parsed {
  let command: ServerCommand | undefined;
  const program = createProgram(version, (chosen) => {
    command = chosen;
  });
  for (const each of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    each.configureOutput({ writeOut: out, writeErr: error }).exitOverride();
  try {
    program.parse(normalize(program, argv), { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { command: undefined, exitCode: thrown.exitCode === 0 ? 0 : 2 };
  }
  return command === undefined ? { command, exitCode: 2 } : { command };
}

/** Rewrites `version` to the option `--version`, and `help UNKNOWN` to `UNKNOWN`, whose error message names the unknown command. */
function normalize(program: Command, argv: readonly string[]): readonly string[] {
  const [first, second = ""] = argv;
  if (first === "version" && argv.length === 1) return ["--version"];
  const isUnknown = second !== "" && !program.commands.some((command) => command.name() === second);
  return first === "help" && isUnknown && !second.startsWith("-") ? argv.slice(1) : argv;
}

function createProgram(version: string, choose: (command: ServerCommand) => void): Command {
  const program = new Command("switchyard-server")
    .description("Runs Switchyard, and administers it on the server.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help")
    .showHelpAfterError("(`switchyard-server --help` lists the commands)");
  program
    .command("start")
    .description("run all services in one process until it is stopped")
    .option("--demo", "create a demo organization with sample documents on the first start", false)
    .action(({ demo }: { demo: boolean }) => choose({ kind: "start", demo }));
  program
    .command("bootstrap")
    .description("create an organization with a user, a team and a token with every permission, and print the token")
    .argument("<name>", "the organization's name", getName)
    .option("--another", "create it even if an organization of this name exists", false)
    .action((organizationName: string, { another }: { another: boolean }) =>
      choose({ kind: "bootstrap", organizationName, another }),
    );
  program
    .command("token")
    .description("issue a new token with every permission for an existing organization, and print it")
    .argument("<organization>", "the organization's id or name", getName)
    .action((organization: string) => choose({ kind: "token", organization }));
  addQuotaCommand(program, choose);
  program.addCommand(createModelsProgram(choose));
  program.addCommand(createStoreProgram(choose));
  program.command("version").description("print the version");
  return program;
}

function addQuotaCommand(program: Command, choose: (command: ServerCommand) => void): void {
  const command = program
    .command("quota")
    .description("change the quotas of an organization, and print them")
    .argument("<organization>", "the organization's id or name", getName);
  for (const { name, description, unit } of quotaOptions) {
    command.option(`--${name} <maximum>`, `${description}, or \`default\``, (word) => parseMaximum(word, unit));
  }
  command.action((organization: string, chosen: Readonly<Record<string, number | "default">>) => {
    const changes = quotaOptions.flatMap(({ quota, name }) => {
      const value = chosen[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
      return value === undefined ? [] : [[quota, value === "default" ? null : value]];
    });
    choose({ kind: "quota", organization, changes: Object.fromEntries(changes) as QuotaChanges });
  });
}

/** Parses a maximum in a unit, or `default`. */
function parseMaximum(word: string, unit: number): number | "default" {
  if (word === "default") return word;
  if (!/^\d{1,9}$/.test(word)) throw new InvalidArgumentError("It must be a number from 0 to 999999999, or `default`.");
  return Number(word) * unit;
}

function createModelsProgram(choose: (command: ServerCommand) => void): Command {
  const models = new Command("models").description("obtain better models for text in pictures");
  models
    .command("fetch")
    .description("unpack the models of PP-OCRv6 from the Python package `rapidocr` 3.10.0")
    .argument("[folder]", "the new folder (default: `models` in the data folder)")
    .requiredOption("--from <place>", "the package: a file, its address, or the address of a Python package index")
    .action((folder: string | undefined, { from }: { from: string }) => choose({ kind: "models", folder, from }));
  return models;
}

function createStoreProgram(choose: (command: ServerCommand) => void): Command {
  const store = new Command("store").description("transfer all data between the embedded store and MongoDB");
  store
    .command("export")
    .description("export all data of the embedded store to a new folder")
    .argument("[archive]", "the new folder (default: a folder in the data folder)")
    .option("--from-mongodb", "export the MongoDB at MONGODB_URI instead", false)
    .action((archive: string | undefined, { fromMongodb }: { fromMongodb: boolean }) =>
      choose({ kind: "export", archive, fromMongo: fromMongodb }),
    );
  store
    .command("import")
    .description("import all data into the MongoDB at MONGODB_URI and verify it; can be run again")
    .argument("[archive]", "a folder written by `store export` (default: the embedded store itself)")
    .option("--to-embedded", "import into the embedded store instead", false)
    .option("--replace", "delete existing data first; otherwise different data is an error", false)
    .action((archive: string | undefined, { toEmbedded, replace }: { toEmbedded: boolean; replace: boolean }) =>
      choose({ kind: "import", archive, toEmbedded, replace }),
    );
  return store;
}

function getName(word: string): string {
  const name = word.trim();
  if (name === "") throw new InvalidArgumentError("It must not be empty.");
  return name;
}
