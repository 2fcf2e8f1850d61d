import { toCommanderOrder } from "./command-words.ts";
import { commands } from "../commands/index.ts";

const ordered = (line: string): string => toCommanderOrder(line.split(" "), commands).join(" ");

describe("toCommanderOrder", () => {
  it.each([
    ["classify list --output json", "classify list --output json"],
    ["--output json classify list", "classify list --output json"],
    ["--output=json -o table classify --no-header list x", "classify list --output=json -o table --no-header x"],
    ["--profile list whoami", "whoami --profile list"],
    ["whoami -- --output", "whoami -- --output"],
    ["--help classify", "--help classify"],
    ["classify --help", "classify --help"],
    ["help", "--help"],
    ["help classify run", "classify run --help"],
    ["help nothing", "nothing"],
    ["version", "--version"],
    ["nothing --output json", "nothing --output json"],
    ["--output", "--output"],
  ])("converts %j to %j", (line, expected) => {
    expect(ordered(line)).toBe(expected);
  });
});
