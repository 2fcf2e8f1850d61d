/** One step of a path: a fixed word, `*` (exactly one segment) or `**` (all that is left). */
export type Segment =
  { readonly kind: "literal"; readonly value: string } | { readonly kind: "one" } | { readonly kind: "rest" };

/** The field that takes the segments from `start` up to, not including, `end`; `multiple` when they may be several, `open` when it takes all that is left. */
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

/** A template that does not follow the grammar; thrown when routes are built, never while serving. */
export class TemplateError extends Error {
  override name = "TemplateError";
}

const identifier = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*/y;
const literal = /(?:[A-Za-z0-9._~!$&'()+,;@-]|%[0-9A-Fa-f]{2})+/y;

/**
 * Parses a path template by the grammar of google.api.http: `"/" segments [":" verb]`, where a segment is a literal, `*`, `**`
 * or `{field}` / `{field=segments}`. `**` must come last; nested variables and a field bound twice are refused, and so is a
 * trailing slash. "/" alone is the empty path.
 * @throws TemplateError naming the template and what is wrong with it
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
  const add = (segment: Segment): void => {
    if (segments.at(-1)?.kind === "rest") fail("** must be the last segment");
    segments.push(segment);
  };
  const variable = (): void => {
    const field = word(identifier, "a field name");
    const start = segments.length;
    if (take("=")) list(false);
    else add({ kind: "one" });
    if (!take("}")) fail('expected "}"');
    if (variables.some((other) => other.field === field)) fail(`field "${field}" is bound twice`);
    const open = segments.at(-1)?.kind === "rest";
    variables.push({ field, start, end: segments.length, multiple: open || segments.length - start > 1, open });
  };
  function list(variablesAllowed: boolean): void {
    do {
      if (take("**")) add({ kind: "rest" });
      else if (take("*")) add({ kind: "one" });
      else if (take("{")) {
        if (!variablesAllowed) fail("a variable inside a variable");
        variable();
      } else add({ kind: "literal", value: word(literal, "a segment") });
    } while (take("/"));
  }

  if (!take("/")) fail('expected "/"');
  if (position < text.length) list(true);
  const verb = take(":") ? word(literal, "a verb") : undefined;
  if (position < text.length) fail("unexpected character");
  if (verb !== undefined && segments.length === 0) fail("a verb without a path");
  return { segments, variables, verb };
}

/**
 * Fills a template with values by field name, percent-encoded (slashes are kept where the variable spans several segments).
 * @returns undefined when a value is missing or empty
 */
export function expandTemplate(template: Template, valueOf: (field: string) => string | undefined): string | undefined {
  const parts: string[] = [];
  let index = 0;
  while (index < template.segments.length) {
    const variable = template.variables.find((candidate) => candidate.start === index);
    const segment = template.segments[index];
    if (variable !== undefined) {
      const value = valueOf(variable.field);
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
