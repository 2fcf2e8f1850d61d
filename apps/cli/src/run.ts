import pc from "picocolors";
import type { Command } from "./parsing/command.ts";
import { commands } from "./commands/index.ts";
import { getCompletions } from "./parsing/completion.ts";
import { errorText } from "./terminal/error-text.ts";
import { getExitCode, exitCodes } from "./terminal/exit-codes.ts";
import { supportsColor, type Io } from "./terminal/io.ts";
import { createProfileStore } from "./connection/profiles.ts";
import { nouns, parseCommandLine } from "./parsing/program.ts";
import { version } from "./version.ts";

/**
 * Runs a command line (without the program's name) and resolves with the exit code. Never rejects: errors are printed on standard
 * error.
 */
export async function run(argv: readonly string[], io: Io, known: readonly Command[] = commands): Promise<number> {
  try {
    // A shell asks for completions. The typed word may be an incomplete option, so it is not parsed.
    if (argv[0] === "complete") {
      for (const { word, description } of getCompletions(argv.slice(1), known, nouns))
        io.stdout.write(`${word}\t${description}\n`);
      return exitCodes.done;
    }
    const parsed = parseCommandLine(argv, known, version, io);
    if (parsed.command === undefined) return parsed.exitCode;
    const { command, input } = parsed;
    // Loaded only if a command is run, so that help is printed faster.
    const { createContext } = await import("./context.ts");
    return (await command.run(createContext(io, createProfileStore(io), input), input)) ?? exitCodes.done;
  } catch (error) {
    if (io.signal.aborted) return exitCodes.interrupted;
    const { red } = pc.createColors(supportsColor(io.stderr, io.environment));
    io.stderr.write(errorText(error, red));
    return getExitCode(error);
  }
}
