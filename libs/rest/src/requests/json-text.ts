import { maxJsonValues } from "@switchyard/contracts/json-limits";
import { maxViolations, memberPath, type Outcome, type Violation } from "./violation.ts";

/** A parsed JSON value. Objects are maps, so no key has a special meaning. */
export type JsonNode = string | number | boolean | null | readonly JsonNode[] | ReadonlyMap<string, JsonNode>;

/** The maximum nesting depth. */
export const maxDepth = 100;

// Control characters must be escaped.
const control = /[\u0000-\u001f]/;

/** The character codes of the syntax. */
const codes = { tab: 9, lineFeed: 10, carriageReturn: 13, space: 32, quote: 34, comma: 44, colon: 58 } as const;
const brackets = { list: 91, listEnd: 93, object: 123, objectEnd: 125 } as const;

class SyntaxProblem extends Error {}

/**
 * Parses JSON by RFC 8259. Unlike JSON.parse, it refuses duplicate keys, each with a violation. Malformed text is one violation of the
 * field "body" with the position of the error. Never throws.
 */
export function parseJson(text: string): Outcome<JsonNode> {
  const violations: Violation[] = [];
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  /** The keys and indexes of the containers around the position. They become a path only where there is a violation. */
  const steps: (string | number)[] = [];
  let position = 0;
  let values = 0;

  const fail = (expected: string): never => {
    throw new SyntaxProblem(`is not valid JSON: expected ${expected} ${getPlace(text, position)}`);
  };
  const skipSpace = (): void => {
    while (isSpace(text.charCodeAt(position))) position += 1;
  };
  const take = (code: number): boolean => {
    if (text.charCodeAt(position) !== code) return false;
    position += 1;
    return true;
  };
  const takeWord = (word: string): boolean => {
    if (!text.startsWith(word, position)) return false;
    position += word.length;
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

  function object(): ReadonlyMap<string, JsonNode> {
    const members = new Map<string, JsonNode>();
    skipSpace();
    if (take(brackets.objectEnd)) return members;
    do {
      skipSpace();
      if (text.charCodeAt(position) !== codes.quote) fail("a key");
      const key = string();
      skipSpace();
      if (!take(codes.colon)) fail('":"');
      steps.push(key);
      const value = node();
      if (members.has(key) && violations.length < maxViolations)
        violations.push({ field: toPath(steps), message: "is given more than once" });
      steps.pop();
      members.set(key, value);
      skipSpace();
    } while (take(codes.comma));
    if (!take(brackets.objectEnd)) fail('"," or "}"');
    return members;
  }

  function list(): readonly JsonNode[] {
    const elements: JsonNode[] = [];
    skipSpace();
    if (take(brackets.listEnd)) return elements;
    do {
      steps.push(elements.length);
      elements.push(node());
      steps.pop();
      skipSpace();
    } while (take(codes.comma));
    if (!take(brackets.listEnd)) fail('"," or "]"');
    return elements;
  }

  function node(): JsonNode {
    skipSpace();
    values += 1;
    if (values > maxJsonValues) fail(`at most ${maxJsonValues} values`);
    const first = text.charCodeAt(position);
    if (first === codes.quote) return string();
    if (first === brackets.object || first === brackets.list) {
      if (steps.length >= maxDepth) fail(`at most ${maxDepth} levels`);
      position += 1;
      return first === brackets.object ? object() : list();
    }
    if (takeWord("true")) return true;
    if (takeWord("false")) return false;
    if (takeWord("null")) return null;
    const start = position;
    number.lastIndex = start;
    if (!number.test(text)) return fail("a value");
    position = number.lastIndex;
    return Number(text.slice(start, position));
  }

  try {
    const value = node();
    skipSpace();
    if (position < text.length) fail("nothing more");
    return violations.length > 0 ? { ok: false, violations } : { ok: true, value };
  } catch (problem) {
    if (!(problem instanceof SyntaxProblem)) throw problem;
    return { ok: false, violations: [{ field: "body", message: problem.message }] };
  }
}

function isSpace(code: number): boolean {
  return code === codes.space || code === codes.lineFeed || code === codes.carriageReturn || code === codes.tab;
}

function toPath(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : memberPath(path, step)),
    "",
  );
}

function getPlace(text: string, position: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < position; end = text.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  return `at line ${line}, column ${position - start + 1}`;
}
