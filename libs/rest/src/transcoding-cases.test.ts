import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./testing/case.ts";
import { differences } from "./testing/deliberate.ts";
import { createRunner } from "./testing/run.ts";

const run = createRunner();

/** Reads a file of cases, one a line. */
function readCases(file: string): readonly Case[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Case);
}

describe("the rules of google.api.http", () => {
  const cases = readCases(join(import.meta.dirname, "testing/http-rules.jsonl"));
  const sources = [...new Set(cases.map(({ src }) => src))];

  it.each(sources)("hold: %s", (source) => {
    for (const fact of cases.filter(({ src }) => src === source))
      expect({ fact, difference: run(fact) }).toEqual({ fact, difference: undefined });
  });
});

// Facts about other projects, each with its source. They are not part of the repository; without them, the test is skipped.
const location = "../shared/reference/transcoding-cases.jsonl";
const others = join(import.meta.dirname, "../../..", location);

(existsSync(others) ? describe : describe.skip)(`the cases of other projects, in ${location} of the checkout`, () => {
  it("hold, or differ for a reason", () => {
    const counts = new Map<string, number>();
    const wrong: string[] = [];
    for (const fact of readCases(others)) {
      const difference = run(fact);
      const deliberate = differences.find(({ applies }) => applies(fact));
      if (difference !== undefined && deliberate === undefined) wrong.push(`${JSON.stringify(fact)} ${difference}`);
      if (difference === undefined && deliberate !== undefined)
        wrong.push(`${JSON.stringify(fact)} holds, although it should differ: ${deliberate.reason}`);
      const result = difference === undefined ? "hold" : `differ: ${deliberate?.reason ?? "wrong"}`;
      counts.set(result, (counts.get(result) ?? 0) + 1);
    }
    console.log([...counts].map(([result, count]) => `${count} ${result}`).join("\n"));
    expect(wrong).toEqual([]);
  });
});
