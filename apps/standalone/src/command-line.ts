import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { MoveCommand } from "./moving.ts";

/** What `switchyard-server` is told to do. */
export type ServerCommand =
  | { kind: "start"; demo: boolean }
  | { kind: "bootstrap"; organizationName: string; another: boolean }
  | { kind: "token"; organization: string }
  | MoveCommand;

/** Where help and faults of the command line are printed. */
export interface Outputs {
  out: (text: string) => void;
  error: (text: string) => void;
}

/** A command, or the exit code of a line that only asked for help or the version (0), or that is none (2). */
export type Parsed = { readonly command: ServerCommand } | { readonly command: undefined; readonly exitCode: 0 | 2 };

/**
 * Reads the arguments of `switchyard-server`. Prints help and version where these are asked for, and what is wrong with the line: an
 * unknown command or option is named, with the nearest that there is.
 */
export function parseCommandLine(argv: readonly string[], version: string, { out, error }: Outputs): Parsed {
  let command: ServerCommand | undefined;
  const program = createProgram(version, (chosen) => {
    command = chosen;
  });
  for (const each of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    each.configureOutput({ writeOut: out, writeErr: error }).exitOverride();
  try {
    program.parse(normalized(program, argv), { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { command: undefined, exitCode: thrown.exitCode === 0 ? 0 : 2 };
  }
  return command === undefined ? { command, exitCode: 2 } : { command };
}

/** The arguments as the parser takes them: `version` is an option there, and its help for an unknown command would not name it. */
function normalized(program: Command, argv: readonly string[]): readonly string[] {
  const [first, second = ""] = argv;
  if (first === "version" && argv.length === 1) return ["--version"];
  const isUnknown = second !== "" && !program.commands.some((command) => command.name() === second);
  return first === "help" && isUnknown && !second.startsWith("-") ? argv.slice(1) : argv;
}

function createProgram(version: string, choose: (command: ServerCommand) => void): Command {
  const program = new Command("switchyard-server")
    .description("Runs Switchyard, and does what can only be done on the server.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help")
    .showHelpAfterError("(`switchyard-server --help` lists the commands)");
  program
    .command("start")
    .description("run all services in one process, until it is ended")
    .option("--demo", "the first time with a demo organization and sample documents", false)
    .action(({ demo }: { demo: boolean }) => choose({ kind: "start", demo }));
  program
    .command("bootstrap")
    .description("create an organization with a user, a team and a token with every permission, and print the token")
    .argument("<name>", "the organization's name", getName)
    .option("--another", "also when there is an organization of this name already", false)
    .action((organizationName: string, { another }: { another: boolean }) =>
      choose({ kind: "bootstrap", organizationName, another }),
    );
  program
    .command("token")
    .description(
      "issue a new token with every permission, for an organization that has lost its last one, and print it",
    )
    .argument("<organization>", "the organization's id or name", getName)
    .action((organization: string) => choose({ kind: "token", organization }));
  program.addCommand(createStoreProgram(choose));
  program.command("version").description("print the version");
  return program;
}

function createStoreProgram(choose: (command: ServerCommand) => void): Command {
  const store = new Command("store").description("move everything between the embedded store and a MongoDB");
  store
    .command("export")
    .description("write everything in the embedded store of the data folder into a new folder")
    .argument("[archive]", "the folder; one in the data folder when not given")
    .option("--from-mongodb", "export the MongoDB of MONGODB_URI instead", false)
    .action((archive: string | undefined, { fromMongodb }: { fromMongodb: boolean }) =>
      choose({ kind: "export", archive, fromMongo: fromMongodb }),
    );
  store
    .command("import")
    .description("write everything into the MongoDB of MONGODB_URI, and compare it afterwards; can be run again")
    .argument("[archive]", "what `store export` wrote; the embedded store itself when not given")
    .option("--to-embedded", "import into the embedded store instead", false)
    .option("--replace", "remove what is there before; otherwise what differs is refused", false)
    .action((archive: string | undefined, { toEmbedded, replace }: { toEmbedded: boolean; replace: boolean }) =>
      choose({ kind: "import", archive, toEmbedded, replace }),
    );
  return store;
}

function getName(word: string): string {
  const name = word.trim();
  if (name === "") throw new InvalidArgumentError("It is empty.");
  return name;
}
