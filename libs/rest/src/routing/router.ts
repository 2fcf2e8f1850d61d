import { normalizeEscapes, parseTemplate, type Template, type Variable } from "./template.ts";

/** The result of looking up a path and a method. */
export type Match<T> =
  | { readonly kind: "found"; readonly target: T; readonly variables: ReadonlyMap<string, string> }
  | { readonly kind: "method-not-allowed"; readonly allow: readonly string[] }
  | { readonly kind: "malformed" }
  | { readonly kind: "not-found" };

/** An entry of the routing table: `target` handles `method` on paths of `template`. The method "*" is every one that no other entry has. */
export interface RouterEntry<T> {
  /** The name of the entry, for the error of two that collide. */
  readonly name?: string;
  readonly method: string;
  readonly template: string | Template;
  readonly target: T;
}

interface Endpoint<T> {
  readonly name: string | undefined;
  readonly variables: readonly Variable[];
  readonly target: T;
}
/** The endpoints of one path pattern, by method. */
type Pattern<T> = Map<string, Endpoint<T>>;
interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  one: Node<T> | undefined;
  /** The patterns that end here with `**`, by verb ("" for none). */
  readonly rest: Map<string, Pattern<T>>;
  /** The patterns that end here, by verb. */
  readonly ends: Map<string, Pattern<T>>;
}

/**
 * Creates a router of path templates. Segment by segment, literals take precedence over `*`, and `*` over `**`. If the best pattern lacks
 * the method, the next best one that has it is used. If a last segment ends in a verb that a pattern of its path has, only patterns with the
 * verb match; any other colon, such as one at the end, is part of the value. Segments are compared before decoding, so an encoded slash or colon never
 * changes the route. A value of several segments keeps its encoded slashes. HEAD matches what GET matches. The methods that a path allows
 * include HEAD and OPTIONS, even if OPTIONS itself matches nothing.
 * @throws Error if two entries have the same method and pattern
 */
export function createRouter<T>(entries: readonly RouterEntry<T>[]): {
  match(method: string, path: string): Match<T>;
} {
  const root = createNode<T>();
  for (const entry of entries) insert(root, entry);

  function patternsFor(path: string): { patterns: Pattern<T>[]; segments: string[] } {
    const segments = split(path);
    // Variables keep their text: a value of several segments keeps %2f as it is.
    const normalized = path.includes("%") ? split(normalizeEscapes(path)) : segments;
    const last = normalized.at(-1) ?? "";
    const colon = last.lastIndexOf(":");
    if (colon >= 0 && colon < last.length - 1) {
      const patterns = collect(root, withLast(normalized, last.slice(0, colon)), 0, last.slice(colon + 1), []);
      if (patterns.length > 0)
        return { patterns, segments: withLast(segments, (segments.at(-1) ?? "").slice(0, colon)) };
    }
    return { patterns: collect(root, normalized, 0, "", []), segments };
  }

  return {
    match(method, path) {
      if (!path.startsWith("/")) return { kind: "not-found" };
      const { patterns, segments } = patternsFor(path);
      for (const pattern of patterns) {
        const endpoint =
          pattern.get(method) ?? (method === "HEAD" ? pattern.get("GET") : undefined) ?? pattern.get("*");
        if (endpoint !== undefined) {
          const variables = bind(endpoint.variables, segments);
          return variables === undefined
            ? { kind: "malformed" }
            : { kind: "found", target: endpoint.target, variables };
        }
      }
      const allow = new Set(patterns.flatMap((pattern) => [...pattern.keys()]));
      if (allow.size === 0) return { kind: "not-found" };
      if (allow.has("GET")) allow.add("HEAD");
      return { kind: "method-not-allowed", allow: [...allow.add("OPTIONS")].sort() };
    },
  };
}

function split(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

function withLast(segments: readonly string[], last: string): string[] {
  return [...segments.slice(0, -1), last];
}

function createNode<T>(): Node<T> {
  return { literals: new Map(), one: undefined, rest: new Map(), ends: new Map() };
}

function insert<T>(root: Node<T>, entry: RouterEntry<T>): void {
  const template = typeof entry.template === "string" ? parseTemplate(entry.template) : entry.template;
  let node = root;
  let ends = node.ends;
  for (const segment of template.segments) {
    if (segment.kind === "rest") {
      ends = node.rest;
      break;
    }
    if (segment.kind === "one") node = node.one ??= createNode();
    else {
      const next: Node<T> = node.literals.get(segment.value) ?? createNode();
      node.literals.set(segment.value, next);
      node = next;
    }
    ends = node.ends;
  }
  const verb = template.verb ?? "";
  const pattern: Pattern<T> = ends.get(verb) ?? new Map<string, Endpoint<T>>();
  ends.set(verb, pattern);
  const other = pattern.get(entry.method);
  if (other !== undefined) {
    const shape = template.segments.map((part) =>
      part.kind === "literal" ? part.value : part.kind === "one" ? "*" : "**",
    );
    const names = entry.name === undefined ? "" : `: ${other.name ?? ""} and ${entry.name}`;
    throw new Error(`two routes for ${entry.method} /${shape.join("/")}${verb === "" ? "" : `:${verb}`}${names}`);
  }
  pattern.set(entry.method, { name: entry.name, variables: template.variables, target: entry.target });
}

/** Collects the matching patterns, best first. `*` matches one segment that is not empty, and `**` the rest, which may be empty. */
function collect<T>(node: Node<T>, segments: string[], index: number, verb: string, found: Pattern<T>[]): Pattern<T>[] {
  const segment = segments[index];
  if (segment === undefined) {
    const pattern = node.ends.get(verb);
    if (pattern !== undefined) found.push(pattern);
  } else {
    const next = node.literals.get(segment);
    if (next !== undefined) collect(next, segments, index + 1, verb, found);
    if (node.one !== undefined && segment !== "") collect(node.one, segments, index + 1, verb, found);
  }
  const rest = node.rest.get(verb);
  if (rest !== undefined) found.push(rest);
  return found;
}

function bind(variables: readonly Variable[], segments: string[]): Map<string, string> | undefined {
  const values = new Map<string, string>();
  try {
    for (const variable of variables) {
      const taken = segments.slice(variable.start, variable.open ? segments.length : variable.end);
      const decoded = variable.multiple ? taken.map(decodeKeepingSlashes) : taken.map(decodeURIComponent);
      values.set(variable.field, decoded.join("/"));
    }
  } catch {
    return undefined;
  }
  return values;
}

function decodeKeepingSlashes(segment: string): string {
  return segment
    .split(/(%2[Ff])/)
    .map((part, index) => (index % 2 === 1 ? part : decodeURIComponent(part)))
    .join("");
}
