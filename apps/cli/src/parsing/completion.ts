import { takeApart } from "./command-words.ts";
import { commonOptions, connectionOptions, optionFlags, getOptions, type Command, type Option } from "./command.ts";

/** A word that could come next. */
export interface Candidate {
  readonly word: string;
  readonly describes: string;
}

/**
 * The words that could stand at the end of a command line, whose last word is what is typed so far ("" for a new one). None
 * where a file may come, or nothing is known: the shell then offers files.
 */
export function candidatesFor(
  words: readonly string[],
  commands: readonly Command[],
  nouns: Readonly<Record<string, string>>,
): readonly Candidate[] {
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
): readonly Candidate[] {
  const { path, rest } = takeApart(before, commands);
  const [first, second] = path;
  const group = commands.filter(({ noun }) => noun === first);
  const command =
    group.find(({ verb }) => verb === second) ??
    commands.find(({ noun, verb }) => noun === undefined && verb === first);
  const options = command === undefined ? [...commonOptions, ...connectionOptions] : getOptions(command);
  const last = options.find((option) => optionFlags(option).includes(before.at(-1) ?? ""));
  if (last?.value !== undefined) return (last.choices ?? []).map((word) => ({ word, describes: "" }));
  if (typed.startsWith("-"))
    return unused(options, before).map(({ name, describes }) => ({ word: `--${name}`, describes }));
  if (first === undefined)
    return [
      ...Object.entries(nouns)
        .filter(([noun]) => commands.some((command) => command.noun === noun))
        .map(([word, describes]) => ({ word, describes })),
      ...commands
        .filter(({ noun }) => noun === undefined)
        .map(({ verb, summary }) => ({ word: verb, describes: summary })),
    ];
  if (group.length > 0 && second === undefined)
    return group.map(({ verb, summary }) => ({ word: verb, describes: summary }));
  const choices = command?.arguments?.[positions(rest, options)]?.choices ?? [];
  return choices === "path" ? [] : choices.map((word) => ({ word, describes: "" }));
}

function unused(options: readonly Option[], before: readonly string[]): readonly Option[] {
  return options.filter(({ name, repeats }) => repeats === true || !before.includes(`--${name}`));
}

/** How many of the words are arguments. */
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

/** The shells that completion is made for. */
export const shells = ["bash", "zsh", "fish"] as const;

/** What a shell loads: it asks this program for the words, and offers files where there are none. */
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
  local word describes
  while IFS=$'\\t' read -r word describes; do
    candidates+=("\${word//:/\\\\:}:\${describes}")
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
