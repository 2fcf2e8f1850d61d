import { maxViolations, memberPath, type Outcome, type Violation } from "./violation.ts";

/** A parsed JSON value. Objects are maps, so no key has a special meaning. */
export type JsonNode = string | number | boolean | null | readonly JsonNode[] | ReadonlyMap<string, JsonNode>;

/** The maximum nesting depth. */
export const maxDepth = 100;

// Control characters must be escaped.
const control = /[\u0000-\u001f]/;

class SyntaxProblem extends Error {}

/**
 * Parses JSON by RFC 8259. Unlike JSON.parse, it refuses duplicate keys, each with a violation. Malformed text is one violation of the
 * field "body" with the position of the error. Never throws.
 */
export function parseJson(text: string): Outcome<JsonNode> {
  const violations: Violation[] = [];
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  const space = /[ \t\n\r]*/y;
  let position = 0;

  const fail = (expected: string): never => {
    throw new SyntaxProblem(`is not valid JSON: expected ${expected} ${getPlace(text, position)}`);
  };
  const skipSpace = (): void => {
    space.lastIndex = position;
    position += space.exec(text)?.[0].length ?? 0;
  };
  const take = (token: string): boolean => {
    if (!text.startsWith(token, position)) return false;
    position += token.length;
    return true;
  };

  function string(): string {
    const start = position;
    let end = position + 1;
    for (;;) {
      end = text.indexOf('"', end);
      if (end < 0) return fail("the end of a string");
      let backslashes = 0;
      while (text[end - 1 - backslashes] === "\\") backslashes += 1;
      if (backslashes % 2 === 0) break;
      end += 1;
    }
    const content = text.slice(start + 1, end);
    if (control.test(content)) fail("no control character in a string");
    position = end + 1;
    if (!content.includes("\\")) return content;
    try {
      return JSON.parse(text.slice(start, position)) as string;
    } catch {
      position = start;
      return fail("a string with valid escapes");
    }
  }

  function object(path: string, depth: number): ReadonlyMap<string, JsonNode> {
    const members = new Map<string, JsonNode>();
    skipSpace();
    if (take("}")) return members;
    do {
      skipSpace();
      if (text[position] !== '"') fail("a key");
      const key = string();
      const at = memberPath(path, key);
      skipSpace();
      if (!take(":")) fail('":"');
      const value = node(at, depth);
      if (members.has(key) && violations.length < maxViolations)
        violations.push({ field: at, message: "is given more than once" });
      members.set(key, value);
      skipSpace();
    } while (take(","));
    if (!take("}")) fail('"," or "}"');
    return members;
  }

  function array(path: string, depth: number): readonly JsonNode[] {
    const elements: JsonNode[] = [];
    skipSpace();
    if (take("]")) return elements;
    do {
      elements.push(node(`${path}[${elements.length}]`, depth));
      skipSpace();
    } while (take(","));
    if (!take("]")) fail('"," or "]"');
    return elements;
  }

  function node(path: string, depth: number): JsonNode {
    skipSpace();
    const first = text[position];
    if (first === '"') return string();
    if (depth >= maxDepth && (first === "{" || first === "[")) fail(`at most ${maxDepth} levels`);
    if (take("{")) return object(path, depth + 1);
    if (take("[")) return array(path, depth + 1);
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("null")) return null;
    number.lastIndex = position;
    const digits = number.exec(text)?.[0];
    if (digits === undefined) return fail("a value");
    position += digits.length;
    return Number(digits);
  }

  try {
    const value = node("", 0);
    skipSpace();
    if (position < text.length) fail("nothing more");
    return violations.length > 0 ? { ok: false, violations } : { ok: true, value };
  } catch (problem) {
    if (!(problem instanceof SyntaxProblem)) throw problem;
    return { ok: false, violations: [{ field: "body", message: problem.message }] };
  }
}

function getPlace(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
