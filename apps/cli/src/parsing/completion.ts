import { splitCommandLine } from "./command-words.ts";
import { commonOptions, connectionOptions, optionFlags, getOptions, type Command, type Option } from "./command.ts";

/** A possible completion. */
export interface Completion {
  readonly word: string;
  readonly description: string;
}

/**
 * Returns the possible completions of a command line, whose last word is incomplete ("" for a new word). Returns none where a file is
 * expected or nothing is known; the shell then offers files.
 */
export function getCompletions(
  words: readonly string[],
  commands: readonly Command[],
  nouns: Readonly<Record<string, string>>,
): readonly Completion[] {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const shown = commands.filter((command) => command.hidden !== true);
  return next(before, typed, shown, nouns).filter(({ word }) => word.startsWith(typed));
}

function next(
  before: readonly string[],
  typed: string,
  commands: readonly Command[],
  nouns: Readonly<Record<string, string>>,
): readonly Completion[] {
  const { path, rest } = splitCommandLine(before, commands);
  const [first, second] = path;
  const group = commands.filter(({ noun }) => noun === first);
  const command =
    group.find(({ verb }) => verb === second) ??
    commands.find(({ noun, verb }) => noun === undefined && verb === first);
  const options = command === undefined ? [...commonOptions, ...connectionOptions] : getOptions(command);
  const last = options.find((option) => optionFlags(option).includes(before.at(-1) ?? ""));
  if (last?.value !== undefined) return (last.choices ?? []).map((word) => ({ word, description: "" }));
  if (typed.startsWith("-"))
    return unused(options, before).map(({ name, description }) => ({ word: `--${name}`, description }));
  if (first === undefined)
    return [
      ...Object.entries(nouns)
        .filter(([noun]) => commands.some((command) => command.noun === noun))
        .map(([word, description]) => ({ word, description })),
      ...commands
        .filter(({ noun }) => noun === undefined)
        .map(({ verb, summary }) => ({ word: verb, description: summary })),
    ];
  if (group.length > 0 && second === undefined)
    return group.map(({ verb, summary }) => ({ word: verb, description: summary }));
  const choices = command?.arguments?.[positions(rest, options)]?.choices ?? [];
  return choices === "path" ? [] : choices.map((word) => ({ word, description: "" }));
}

function unused(options: readonly Option[], before: readonly string[]): readonly Option[] {
  return options.filter(({ name, repeats }) => repeats === true || !before.includes(`--${name}`));
}

/** Counts the words that are arguments. */
function positions(words: readonly string[], options: readonly Option[]): number {
  let count = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const option = options.find((known) => optionFlags(known).includes(word));
    if (option?.value !== undefined) index += 1;
    else if (!word.startsWith("-")) count += 1;
  }
  return count;
}

/** The shells with completion. */
export const shells = ["bash", "zsh", "fish"] as const;

/** Returns the completion script of a shell. It calls this program for completions, and offers files if there are none. */
export function completionScript(shell: (typeof shells)[number]): string {
  switch (shell) {
    case "bash":
      return `# In ~/.bashrc: source <(switchyard completion bash)
_switchyard() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(switchyard complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _switchyard switchyard
`;
    case "zsh":
      return `#compdef switchyard
# In ~/.zshrc, after compinit: source <(switchyard completion zsh)
_switchyard() {
  local -a candidates
  local word description
  while IFS=$'\\t' read -r word description; do
    candidates+=("\${word//:/\\\\:}:\${description}")
  done < <(switchyard complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe switchyard candidates; else _files; fi
}
compdef _switchyard switchyard
`;
    case "fish":
      return `# In ~/.config/fish/completions/switchyard.fish: switchyard completion fish | source
function __switchyard_complete
  set -l words (commandline -opc)
  set -l found (switchyard complete $words[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c switchyard -f -a '(__switchyard_complete)'
`;
  }
}
