import type { Context } from "../context.ts";
import type { Input } from "./input.ts";

/** A word that a command takes in its place. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** Takes all words that are left: at least one, or also none. */
  readonly rest?: "some" | "any";
  readonly optional?: true;
  /** The words that it may be; files where it is "path". */
  readonly choices?: readonly string[] | "path";
}

/** An option of a command; without a value it is a switch. */
export interface Option {
  /** Without its dashes. */
  readonly name: string;
  /** A letter that means the same. */
  readonly short?: string;
  /** What its value is, in capitals: ID, FILE. */
  readonly value?: string;
  readonly description: string;
  readonly required?: true;
  /** May be given several times. */
  readonly repeats?: true;
  readonly choices?: readonly string[];
  /** Its value is a whole number between these. */
  readonly between?: readonly [low: number, high: number];
}

/** A command: all that is known of it, for running, help, completion and documentation. */
export interface Command {
  /** What it is about: classify, deployments; undefined for a command that is one word. */
  readonly noun?: string;
  readonly verb: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** More, in sentences. */
  readonly details?: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples?: readonly string[];
  /** Not shown in help, completion and documentation. */
  readonly hidden?: true;
  /** Works without a server, so it has no options of the connection. */
  readonly offline?: true;
  /** Does it; resolves with the exit code, 0 when it says none. */
  run(context: Context, input: Input): Promise<number | void>;
}

/** Returns the words that call a command, such as `classify run`. */
export function commandPath({ noun, verb }: Pick<Command, "noun" | "verb">): string {
  return noun === undefined ? verb : `${noun} ${verb}`;
}

/** The options of a list that comes in pages. */
export const pageOptions: readonly Option[] = [
  { name: "limit", value: "NUMBER", description: "the number of items on a page", between: [1, 500] },
  { name: "page-token", value: "TOKEN", description: "the token of the page, from the page before it" },
  { name: "all", description: "all pages; as JSON, one page per line" },
];

/** The option of commands that send the documents in folders. */
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
  { name: "timeout", value: "SECONDS", description: "the timeout of an attempt (60)", between: [1, 3600] },
];

/** All options of a command. */
export function getOptions(command: Command): readonly Option[] {
  return [...(command.options ?? []), ...commonOptions, ...(command.offline === true ? [] : connectionOptions)];
}

/** The words that name an option: `--output` and `-o`. */
export function optionFlags({ name, short }: Pick<Option, "name" | "short">): string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}
