/** A segment of a path: a literal, `*` (exactly one segment) or `**` (the rest). */
export type Segment =
  { readonly kind: "literal"; readonly value: string } | { readonly kind: "one" } | { readonly kind: "rest" };

/**
 * A variable, which binds the segments from `start` to `end` (exclusive) to a field. `multiple` means that there may be several, and `open`
 * that it binds the rest.
 */
export interface Variable {
  readonly field: string;
  readonly start: number;
  readonly end: number;
  readonly multiple: boolean;
  readonly open: boolean;
}

/** A path template of google.api.http. */
export interface Template {
  readonly segments: readonly Segment[];
  readonly variables: readonly Variable[];
  readonly verb: string | undefined;
}

/** Thrown for an invalid template when routes are created, never while serving. */
export class TemplateError extends Error {
  override name = "TemplateError";
}

const identifier = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*/y;
const literal = /(?:[A-Za-z0-9._~!$&'()+,;=@-]|%[0-9A-Fa-f]{2})+/y;

/** Writes the percent-encodings of a text in capitals: "%2f" and "%2F" are equal (RFC 3986, section 6.2.2.1). */
export function normalizeEscapes(text: string): string {
  return text.includes("%") ? text.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase()) : text;
}

/**
 * Parses a path template by the grammar of google.api.http: `"/" segments [":" verb]`, where a segment is a literal, `*`, `**` or `{field}`
 * / `{field=segments}`. `**` must be last. Nested variables, a field that is bound twice, and a trailing slash are refused. "/" alone is
 * the empty path.
 * @throws TemplateError with the template and the problem
 */
export function parseTemplate(text: string): Template {
  const segments: Segment[] = [];
  const variables: Variable[] = [];
  let position = 0;

  const fail = (problem: string): never => {
    throw new TemplateError(`path template "${text}": ${problem} at ${position}`);
  };
  const take = (token: string): boolean => {
    if (!text.startsWith(token, position)) return false;
    position += token.length;
    return true;
  };
  const word = (pattern: RegExp, what: string): string => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match === null) return fail(`expected ${what}`);
    position += match[0].length;
    return match[0];
  };
  const addSegment = (segment: Segment): void => {
    if (segments.at(-1)?.kind === "rest") fail("** must be the last segment");
    segments.push(segment);
  };
  const variable = (): void => {
    const field = word(identifier, "a field name");
    const start = segments.length;
    if (take("=")) list(false);
    else addSegment({ kind: "one" });
    if (!take("}")) fail('expected "}"');
    if (variables.some((other) => other.field === field)) fail(`field "${field}" is bound twice`);
    const open = segments.at(-1)?.kind === "rest";
    variables.push({ field, start, end: segments.length, multiple: open || segments.length - start > 1, open });
  };
  function list(variablesAllowed: boolean): void {
    do {
      if (take("**")) addSegment({ kind: "rest" });
      else if (take("*")) addSegment({ kind: "one" });
      else if (take("{")) {
        if (!variablesAllowed) fail("a variable inside a variable");
        variable();
      } else addSegment({ kind: "literal", value: normalizeEscapes(word(literal, "a segment")) });
    } while (take("/"));
  }

  if (!take("/")) fail('expected "/"');
  if (position < text.length) list(true);
  const verb = take(":") ? normalizeEscapes(word(literal, "a verb")) : undefined;
  if (position < text.length) fail("unexpected character");
  if (verb !== undefined && segments.length === 0) fail("a verb without a path");
  return { segments, variables, verb };
}

/**
 * Fills a template with percent-encoded values by field name. Slashes are kept if the variable spans several segments.
 * @returns undefined if a value is missing or empty
 */
export function expandTemplate(
  template: Template,
  getValue: (field: string) => string | undefined,
): string | undefined {
  const parts: string[] = [];
  let index = 0;
  while (index < template.segments.length) {
    const variable = template.variables.find((candidate) => candidate.start === index);
    const segment = template.segments[index];
    if (variable !== undefined) {
      const value = getValue(variable.field);
      if (value === undefined || value === "") return undefined;
      parts.push(variable.multiple ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value));
      index = variable.end;
    } else if (segment?.kind === "literal") {
      parts.push(segment.value);
      index += 1;
    } else return undefined;
  }
  return `/${parts.join("/")}${template.verb === undefined ? "" : `:${template.verb}`}`;
}
