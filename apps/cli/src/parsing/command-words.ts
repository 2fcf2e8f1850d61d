import { commonOptions, connectionOptions, optionFlags, type Command, type Option } from "./command.ts";

/** The parts of a command line. */
export interface CommandWords {
  /** Noun and verb, or the name of a command without a noun. Shorter if the line is incomplete. */
  readonly path: readonly string[];
  /** The common options before the last word of the path, with their values. */
  readonly options: readonly string[];
  /** The path, together with `--help` and unknown options in between, in their order. */
  readonly leading: readonly string[];
  /** Everything after the path. */
  readonly rest: readonly string[];
}

const globalOptions: readonly Option[] = [...commonOptions, ...connectionOptions];

/** Splits a command line into its parts. Common options can be placed anywhere, even before noun and verb. */
export function splitCommandLine(
  argv: readonly string[],
  commands: readonly Pick<Command, "noun" | "verb">[],
): CommandWords {
  const path: string[] = [];
  const options: string[] = [];
  const leading: string[] = [];
  const isWhole = (): boolean => {
    const [first, second] = path;
    return second !== undefined || (first !== undefined && !commands.some(({ noun }) => noun === first));
  };
  let next = 0;
  for (; next < argv.length && !isWhole(); next += 1) {
    const word = argv[next] ?? "";
    if (word === "--") break;
    const option = globalOptions.find((known) => optionFlags(known).some((flag) => isOrHasValue(word, flag)));
    if (option !== undefined) {
      options.push(word);
      if (option.value !== undefined && optionFlags(option).includes(word) && next + 1 < argv.length)
        options.push(argv[(next += 1)] ?? "");
    } else {
      leading.push(word);
      if (!word.startsWith("-")) path.push(word);
    }
  }
  return { path, leading, options, rest: argv.slice(next) };
}

/** `--output`, `--output=json`, `-o` or `-ojson`. */
function isOrHasValue(word: string, flag: string): boolean {
  return word === flag || (flag.startsWith("--") ? word.startsWith(`${flag}=`) : word.startsWith(flag));
}

/**
 * Reorders a command line for commander, which expects options after the command. The commands `help` and `version` become the options
 * of the same name.
 */
export function toCommanderOrder(argv: readonly string[], commands: readonly Command[]): string[] {
  const { path, leading, options, rest } = splitCommandLine(argv, commands);
  const [first, ...more] = path;
  if (first === "version" && rest.length === 0) return ["--version"];
  if (first === "help") {
    const words = [...more, ...rest];
    // An unknown command is reported, instead of printing the general help.
    const isKnown = words.length === 0 || commands.some(({ noun, verb }) => words[0] === (noun ?? verb));
    return isKnown ? [...words, "--help"] : words;
  }
  return [...leading, ...options, ...rest];
}
