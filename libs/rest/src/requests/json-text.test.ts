import fc from "fast-check";
import { defaultMaxBodyBytes } from "../routing/routes.ts";
import { maxJsonValues } from "@switchyard/contracts/json-limits";
import { parseJson, type JsonNode } from "./json-text.ts";

/** Converts a node to the result of JSON.parse. */
function plain(node: JsonNode): unknown {
  if (node instanceof Map) return Object.fromEntries([...node].map(([key, value]) => [key, plain(value)]));
  return Array.isArray(node) ? node.map(plain) : node;
}

describe("parseJson", () => {
  it("reads the output of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const outcome = parseJson(JSON.stringify(value, undefined, indent));
        expect(outcome.ok && plain(outcome.value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("accepts the same texts as JSON.parse, except duplicate keys", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b"',
      '"',
      "\\",
      "1",
      "-",
      "0",
      ".",
      "e",
      "true",
      "null",
      " ",
      "\n",
      "\u0001",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const valid = isJson(text);
        const outcome = parseJson(text);
        const duplicates = !outcome.ok && outcome.violations.every(({ message }) => message.includes("more than once"));
        expect(outcome.ok || duplicates).toBe(valid);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "",
    " ",
    "{",
    "[1,]",
    '{"a":1,}',
    "{a:1}",
    "'a'",
    "01",
    "1.",
    ".5",
    "+1",
    "NaN",
    "1 2",
    '"\\x"',
    '"\\u12"',
    '"\n"',
    "\ufeff1",
    "tru",
    '{"a"}',
    "[1 2]",
  ])("rejects %j, with the position", (text) => {
    const outcome = parseJson(text);
    const [violation] = outcome.ok ? [] : outcome.violations;
    expect(violation?.field).toBe("body");
    expect(violation?.message).toMatch(/^is not valid JSON: expected .* at line \d, column \d+$/);
  });

  it("reports every duplicate key with its path", () => {
    const outcome = parseJson('{"a":[{"b":1,"b":2}],"c":1,"\\u0063":2,"__proto__":1,"__proto__":2}');
    expect(outcome.ok ? [] : outcome.violations.map(({ field }) => field)).toEqual(["a[0].b", "c", "__proto__"]);
  });

  it("limits the depth", () => {
    expect(parseJson("[".repeat(101) + "]".repeat(101)).ok).toBe(false);
    expect(parseJson("[".repeat(100) + "]".repeat(100)).ok).toBe(true);
    expect(parseJson("[".repeat(1_000_000)).ok).toBe(false);
    const wide = `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`).join(",")}}`;
    expect(parseJson(wide).ok).toBe(true);
  });

  it("limits the number of values to as many as a body of 1 MiB can contain", () => {
    const zeros = (count: number): string => `[${"0,".repeat(count - 1)}0]`;
    const widest = zeros(maxJsonValues - 1);
    expect([parseJson(widest).ok, widest.length]).toEqual([true, defaultMaxBodyBytes - 1]);
    for (const text of [zeros(maxJsonValues), `[${"{},".repeat(12_000_000)}{}]`]) {
      const outcome = parseJson(text);
      expect(outcome.ok ? "" : outcome.violations[0]?.message).toMatch(/at most 524288 values at line 1, column \d+$/);
    }
  });

  it("names the line and the column of an error", () => {
    const place = (text: string): string | undefined => {
      const outcome = parseJson(text);
      return outcome.ok ? undefined : /at line .*/.exec(outcome.violations[0]?.message ?? "")?.[0];
    };
    expect(["x", "\nx", "[\n\n 1,\n  x\n]", "[1,\n\n", "\n{}\n\n]"].map(place)).toEqual([
      "at line 1, column 1",
      "at line 2, column 1",
      "at line 4, column 3",
      "at line 3, column 1",
      "at line 4, column 1",
    ]);
  });

  it("reads long strings in linear time", () => {
    const started = performance.now();
    expect(parseJson(`"${"\\\\".repeat(1_000_000)}"`).ok).toBe(true);
    expect(parseJson(`"${'\\"'.repeat(1_000_000)}"`).ok).toBe(true);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
