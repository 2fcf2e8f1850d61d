import { Command as Program, CommanderError, Option as ProgramOption } from "commander";
import { toCommanderOrder } from "./command-words.ts";
import { commandPath, optionFlags, getOptions, type Argument, type Command, type Option } from "./command.ts";
import { exitCodeMeanings, exitCodes, UsageError } from "../terminal/exit-codes.ts";
import type { Input } from "./input.ts";
import type { Io } from "../terminal/io.ts";

/** The descriptions of nouns, in the order of the help. */
export const nouns: Readonly<Record<string, string>> = {
  classify: "classifiers, routes and classifications",
  review: "what a person should look at",
  deployments: "models, deployments and configurations",
  jobs: "jobs that extract files again",
  engines: "engines, which decide classifications and extract documents",
  projects: "projects",
  files: "files of projects",
  extractions: "values extracted from files",
  "accepted-values": "the true values of files",
  values: "values across the files of a model",
  benchmarks: "benchmark runs of models",
  tokens: "access tokens",
  teams: "teams, which grant access to projects",
  users: "users",
  audit: "the audit trail",
};

/** A parsed command line: a command with its input, or only an exit code if help or an error was printed. */
export type Parsed =
  { readonly command: Command; readonly input: Input } | { readonly command: undefined; readonly exitCode: number };

/** Parses a command line by the definitions of commands. Prints help if it is requested, and errors. */
export function parseCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
  version: string,
  io: Pick<Io, "stdout" | "stderr">,
): Parsed {
  let parsed: Parsed | undefined;
  const words = toCommanderOrder(argv, commands);
  const program = createProgram(words, commands, version, io, (command, input) => {
    parsed = { command, input };
  });
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isHelp = error.code === "commander.helpDisplayed" || error.code === "commander.version";
    return { command: undefined, exitCode: isHelp ? exitCodes.done : exitCodes.usage };
  }
  return parsed ?? { command: undefined, exitCode: exitCodes.usage };
}

/** Creates the program of commander from the definitions. `chosen` is called with the command of the line and its input. */
function createProgram(
  argv: readonly string[],
  commands: readonly Command[],
  version: string,
  io: Pick<Io, "stdout" | "stderr">,
  chosen: (command: Command, input: Input) => void,
): Program {
  const program = new Program("switchyard")
    .description(
      "Routes documents to the extraction model they belong to, extracts them, and measures how well that works.",
    )
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 100, 100),
      getErrHelpWidth: () => Math.min(io.stderr.columns ?? 100, 100),
    })
    .showHelpAfterError("(`switchyard --help` lists the commands; `switchyard COMMAND --help` shows how to use one)");
  const groups = new Map<string, Program>();
  const [about] = argv.filter((word) => !word.startsWith("-"));
  for (const command of commands) {
    const { noun, verb } = command;
    if (noun !== undefined && !groups.has(noun))
      groups.set(
        noun,
        program
          .command(noun)
          .description(nouns[noun] ?? noun)
          .usage("COMMAND"),
      );
    const parent = noun === undefined ? program : (groups.get(noun) as Program);
    const made = parent.command(verb, { hidden: command.hidden === true }).summary(command.summary);
    // Only what the line can refer to is described, so that help is printed immediately.
    if (about === (noun ?? verb)) describe(made, command, chosen);
  }
  program.addHelpText(
    "after",
    `\n\`switchyard help COMMAND\` shows how to use a command; \`switchyard version\` prints the version.\n\nExit codes:\n${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`).join("\n")}`,
  );
  return program;
}

function describe(made: Program, command: Command, chosen: (command: Command, input: Input) => void): void {
  made.description([`${command.summary}.`, command.details].filter((text) => text !== undefined).join("\n\n"));
  for (const argument of command.arguments ?? []) made.argument(argumentSyntax(argument), argument.description);
  for (const option of getOptions(command)) made.addOption(programOption(option));
  const examples = command.examples ?? [];
  if (examples.length > 0) made.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
  made.action(() => chosen(command, toInput(command, made.processedArgs, made.opts())));
}

/** Formats an argument for help and usage. */
export function argumentSyntax({ name, rest, optional }: Argument): string {
  const word = rest === undefined ? name : `${name}...`;
  return optional === true || rest === "any" ? `[${word}]` : `<${word}>`;
}

/** Formats an option for help. */
export function optionSyntax(option: Pick<Option, "name" | "short" | "value">): string {
  const flags = optionFlags(option).toReversed().join(", ");
  return option.value === undefined ? flags : `${flags} <${option.value}>`;
}

function programOption(option: Option): ProgramOption {
  const made = new ProgramOption(optionSyntax(option), option.description);
  if (option.required === true) made.makeOptionMandatory();
  if (option.choices !== undefined) made.choices([...option.choices]);
  if (option.repeats === true) {
    made.argParser<string[]>((value, before) => [...(Array.isArray(before) ? before : []), value]);
  }
  return made;
}

function toInput(command: Command, words: readonly unknown[], options: Readonly<Record<string, unknown>>): Input {
  const definitions = command.arguments ?? [];
  const word = (name: string): unknown => words[definitions.findIndex((argument) => argument.name === name)];
  // Commander stores `--no-x` as x: false.
  const option = (name: string): unknown => options[camelCase(name.replace(/^no-/, ""))];
  const text = (name: string): string | undefined => {
    const value = definitions.some((argument) => argument.name === name) ? word(name) : option(name);
    return typeof value === "string" ? value : undefined;
  };
  const required = (name: string): string => {
    const value = text(name);
    if (value === undefined) throw new UsageError(`${commandPath(command)} requires ${name}`);
    return value;
  };
  for (const { name, between } of getOptions(command))
    if (between !== undefined) assertInteger(name, text(name), between);
  return {
    argument: required,
    required,
    text,
    rest: (name) => (word(name) as string[] | undefined) ?? [],
    list: (name) => (option(name) as string[] | undefined) ?? [],
    on: (name) => option(name) === !name.startsWith("no-"),
    integer: (name) => {
      const value = text(name);
      return value === undefined ? undefined : Number(value);
    },
  };
}

function assertInteger(name: string, value: string | undefined, [low, high]: readonly [number, number]): void {
  if (value === undefined || (/^\d+$/.test(value) && Number(value) >= low && Number(value) <= high)) return;
  throw new UsageError(`--${name} takes a whole number from ${low} to ${high}, not "${value}"`);
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
