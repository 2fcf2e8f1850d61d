import { commonOptions, connectionOptions, optionFlags, type Command, type Option } from "./command.ts";

/** A command line, taken apart. */
export interface CommandWords {
  /** Noun and verb, or the one word of a command without a noun; fewer while they are not all there. */
  readonly path: readonly string[];
  /** The options before the last word of the path that every command takes, with their values. */
  readonly options: readonly string[];
  /** The path with what else stands in it, `--help` or options that nobody knows, in their order. */
  readonly leading: readonly string[];
  /** All that follows the path. */
  readonly rest: readonly string[];
}

const everywhere: readonly Option[] = [...commonOptions, ...connectionOptions];

/** Takes a command line apart. The options that every command takes may stand anywhere, also before noun and verb. */
export function takeApart(argv: readonly string[], commands: readonly Pick<Command, "noun" | "verb">[]): CommandWords {
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
    const option = everywhere.find((known) => optionFlags(known).some((flag) => isOrHasValue(word, flag)));
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
 * A command line in the order in which commander reads it: options after the command. `help` and `version` as commands are the
 * options of the same names.
 */
export function toCommanderOrder(argv: readonly string[], commands: readonly Command[]): string[] {
  const { path, leading, options, rest } = takeApart(argv, commands);
  const [first, ...more] = path;
  if (first === "version" && rest.length === 0) return ["--version"];
  if (first === "help") {
    const asked = [...more, ...rest];
    // What is no command is named as such, instead of the help of the whole.
    const isKnown = asked.length === 0 || commands.some(({ noun, verb }) => asked[0] === (noun ?? verb));
    return isKnown ? [...asked, "--help"] : asked;
  }
  return [...leading, ...options, ...rest];
}
