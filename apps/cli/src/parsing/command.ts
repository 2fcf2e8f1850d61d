import type { Api } from "@switchyard/client";
import type { Context } from "../context.ts";
import type { Input } from "./input.ts";

/** A positional argument of a command. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** Whether it takes all remaining words: at least one, or any number. */
  readonly rest?: "some" | "any";
  readonly optional?: true;
  /** The possible words, or "path" for files. */
  readonly choices?: readonly string[] | "path";
}

/** An option of a command. Without a value, it is a switch. */
export interface Option {
  /** The name without dashes. */
  readonly name: string;
  /** A short form of one letter. */
  readonly short?: string;
  /** The placeholder of its value, in capital letters: ID, FILE. */
  readonly value?: string;
  readonly description: string;
  readonly required?: true;
  /** Whether it may be repeated. */
  readonly repeats?: true;
  readonly choices?: readonly string[];
  /** The bounds of a value that is a whole number. */
  readonly between?: readonly [low: number, high: number];
}

/** The definition of a command, which is used to run it, and for help, completion and documentation. */
export interface Command {
  /** The noun: classify, deployments; undefined for a command of one word. */
  readonly noun?: string;
  readonly verb: string;
  /** A summary in one line, without a full stop. */
  readonly summary: string;
  /** Further details, in full sentences. */
  readonly details?: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples?: readonly string[];
  /** Whether it is hidden in help, completion and documentation. */
  readonly hidden?: true;
  /** The calls of the API that it makes. Absent for a command that makes none of its own. */
  readonly calls?: readonly (keyof Api)[];
  /** Whether it works without a server, and therefore has no connection options. */
  readonly offline?: true;
  /** Executes the command. Resolves with the exit code, which is 0 if it is undefined. */
  run(context: Context, input: Input): Promise<number | void>;
}

/** Returns the words that call a command, such as `classify run`. */
export function commandPath({ noun, verb }: Pick<Command, "noun" | "verb">): string {
  return noun === undefined ? verb : `${noun} ${verb}`;
}

/** The options of a paged list. */
export const pageOptions: readonly Option[] = [
  { name: "limit", value: "NUMBER", description: "the number of items on a page", between: [1, 500] },
  { name: "page-token", value: "TOKEN", description: "the token of the page, as printed with the previous page" },
  { name: "all", description: "list all pages; with JSON output, one page per line" },
];

/** The option of commands that send documents in folders. */
export const allFilesOption: Option = {
  name: "all-files",
  description: "send all files of a folder, whatever their format",
};

/** The options of every command. */
export const commonOptions: readonly Option[] = [
  {
    name: "output",
    short: "o",
    value: "FORM",
    description: "table (default), or json for the body of the API's response",
    choices: ["table", "json"],
  },
  { name: "no-header", description: "omit the header line of tables" },
];

/** The options of every command that calls a server. */
export const connectionOptions: readonly Option[] = [
  { name: "profile", value: "NAME", description: "the profile, stored by `login`; or SWITCHYARD_PROFILE" },
  { name: "base-url", value: "URL", description: "the server; or SWITCHYARD_BASE_URL" },
  { name: "token", value: "TOKEN", description: "the token; prefer SWITCHYARD_TOKEN, which other users cannot see" },
  { name: "timeout", value: "SECONDS", description: "the timeout of each attempt (default: 60)", between: [1, 3600] },
];

/** Returns all options of a command. One of its own replaces a common one of the same name, such as `--output` with more forms. */
export function getOptions(command: Command): readonly Option[] {
  const own = command.options ?? [];
  const common = commonOptions.filter(({ name }) => !own.some((option) => option.name === name));
  return [...own, ...common, ...(command.offline === true ? [] : connectionOptions)];
}

/** Returns the words that select an option: `--output` and `-o`. */
export function optionFlags({ name, short }: Pick<Option, "name" | "short">): string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}
