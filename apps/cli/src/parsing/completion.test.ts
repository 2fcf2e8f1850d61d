import { execFileSync } from "node:child_process";
import { commands } from "../commands/index.ts";
import { getCompletions, completionScript, shells } from "./completion.ts";
import { nouns } from "./program.ts";

const words = (line: string): string[] => getCompletions(line.split(" "), commands, nouns).map(({ word }) => word);

describe("getCompletions", () => {
  it("offers nouns and single commands first, then verbs", () => {
    expect(words("")).toEqual(expect.arrayContaining(["classify", "deployments", "login", "completion"]));
    expect(words("cl")).toEqual(["classify"]);
    expect(words("classify a")).toEqual(["add-route"]);
    expect(words("nothing ")).toEqual([]);
  });

  it("offers options that are not given yet, and the values of an option", () => {
    expect(words("classify list --pro")).toEqual(["--project-id", "--profile"]);
    expect(words("classify list --project-id p --pro")).toEqual(["--profile"]);
    expect(words("classify add-route c --example x --exa")).toEqual(["--example"]);
    expect(words("classify list --output ")).toEqual(["table", "json"]);
    expect(words("classify list --project-id ")).toEqual([]);
  });

  it("offers the options of every command before the noun and the verb", () => {
    expect(words("--output json cl")).toEqual(["classify"]);
    expect(words("-o ")).toEqual(["table", "json"]);
    expect(words("classify -o json a")).toEqual(["add-route"]);
    expect(words("--pro")).toEqual(["--profile"]);
  });

  it("offers the values of an argument, and leaves file names to the shell", () => {
    expect(words("completion ")).toEqual([...shells]);
    expect(words("completion --output json z")).toEqual(["zsh"]);
    expect(words("classify run clf_1 ")).toEqual([]);
  });
});

describe("completionScript", () => {
  it("completes in bash with words from the program, even if it is loaded twice", () => {
    const asked = `switchyard() { printf 'make-global\\tone\\nmake-project-scoped\\ttwo\\n'; }
${completionScript("bash")}${completionScript("bash")}
COMP_WORDS=(switchyard classify make-g); COMP_CWORD=2; _switchyard; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync("bash", ["-uc", asked], { encoding: "utf8" })).toBe("make-global\n");
  });

  it.each(shells)("calls the program in %s", (shell) => {
    expect(completionScript(shell)).toContain("switchyard complete");
  });
});
