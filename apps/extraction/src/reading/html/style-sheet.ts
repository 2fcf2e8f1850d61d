/** The declarations of a style, by property. */
export type Declarations = ReadonlyMap<string, string>;

/** What a selector says about an element. */
interface Compound {
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
}

interface Rule {
  /** The element itself and those that contain it, from the outside. */
  readonly compounds: readonly Compound[];
  readonly weight: number;
  readonly declarations: Declarations;
}

/** An element that a selector is matched with. */
export interface StyledElement {
  readonly name: string;
  readonly id: string;
  readonly classes: ReadonlySet<string>;
}

/** The rules of a document's style elements. */
export interface StyleSheet {
  /** Returns the declarations for the last of nested elements, from the weakest to the strongest. */
  match(path: readonly StyledElement[]): Declarations[];
}

/** What is read of the styles of a document. */
const most = { characters: 200_000, rules: 5_000 };

/**
 * Reads the style elements of HTML. Only rules that always apply on a screen are read: names, identifiers and classes, including those of
 * elements that contain the element. Rules with other selectors, for example of states, and of other media do not make text hidden.
 */
export function readStyleSheet(html: string): StyleSheet {
  const source = [...html.matchAll(/<style[^<>]*>([^]*?)(?:<\/style|$)/gi)].map(([, css = ""]) => css).join("\n");
  const rules = parseRules(source.slice(0, most.characters).replace(/\/\*[^]*?(\*\/|$)|<!--|-->/g, ""));
  const byKey = new Map<string, Rule[]>();
  for (const rule of rules) {
    const key = getKey(rule.compounds.at(-1)!);
    const known = byKey.get(key) ?? [];
    byKey.set(key, known);
    known.push(rule);
  }
  return {
    match(path) {
      const element = path.at(-1);
      if (element === undefined || byKey.size === 0) return [];
      const keys = [element.name, "*", `#${element.id}`, ...[...element.classes].map((name) => `.${name}`)];
      return keys
        .flatMap((key) => byKey.get(key) ?? [])
        .filter(({ compounds }) => matches(compounds, path))
        .sort((a, b) => a.weight - b.weight)
        .map(({ declarations }) => declarations);
    },
  };
}

/** Reads declarations, as in the attribute `style`, in time that is proportional to their length. */
export function parseDeclarations(source: string): Map<string, string> {
  const found = new Map<string, string>();
  // A parenthesis that is never closed ends a value, as a semicolon does.
  const end = source.lastIndexOf(")") + 1;
  const closed = source.slice(0, end) + source.slice(end).replaceAll("(", ";");
  for (const [, name = "", value = ""] of closed.matchAll(/(?<![\w-])([\w-]+)\s*:\s*([^;(]*(?:\([^)]*\)[^;(]*)*)/g))
    found.set(name.toLowerCase(), value.trim().toLowerCase());
  return found;
}

function parseRules(css: string): Rule[] {
  const rules: Rule[] = [];
  let at = 0;
  while (at < css.length && rules.length < most.rules) {
    const open = css.indexOf("{", at);
    if (open < 0) break;
    const prelude = css
      .slice(at, open)
      .replace(/^[^]*;/, "")
      .trim();
    if (prelude.startsWith("@")) {
      const end = findEnd(css, open);
      if (/^@media\s+(only\s+)?(screen|all)$/i.test(prelude)) rules.push(...parseRules(css.slice(open + 1, end)));
      at = end + 1;
      continue;
    }
    const close = css.indexOf("}", open);
    const declarations = parseDeclarations(css.slice(open + 1, close < 0 ? undefined : close));
    for (const selector of prelude.split(",")) {
      const compounds = parseSelector(selector.trim());
      if (compounds !== undefined) rules.push({ compounds, weight: weigh(compounds), declarations });
    }
    at = close < 0 ? css.length : close + 1;
  }
  return rules;
}

/** Returns the place of the brace that closes a block. */
function findEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at++) {
    if (css[at] === "{") depth += 1;
    else if (css[at] === "}" && --depth === 0) return at;
  }
  return css.length;
}

function parseSelector(selector: string): Compound[] | undefined {
  const compounds: Compound[] = [];
  for (const part of selector.split(/\s*>\s*|\s+/)) {
    const [, name = "", rest = ""] = /^(\*|[a-z][\w-]*)?((?:[.#][\w-]+)*)$/i.exec(part) ?? [];
    if (name === "" && rest === "") return undefined;
    const classes = [...rest.matchAll(/\.([\w-]+)/g)].map(([, each = ""]) => each);
    compounds.push({ name: name.toLowerCase(), id: /#([\w-]+)/.exec(rest)?.[1] ?? "", classes });
  }
  return compounds;
}

function weigh(compounds: readonly Compound[]): number {
  return compounds.reduce(
    (sum, { name, id, classes }) => sum + (id === "" ? 0 : 10_000) + classes.length * 100 + (/\w/.test(name) ? 1 : 0),
    0,
  );
}

function getKey({ name, id, classes }: Compound): string {
  return id !== "" ? `#${id}` : classes[0] !== undefined ? `.${classes[0]}` : name || "*";
}

function matches(compounds: readonly Compound[], path: readonly StyledElement[]): boolean {
  const last = path.at(-1);
  if (last === undefined || !fits(compounds.at(-1)!, last)) return false;
  let left = compounds.length - 2;
  for (let at = path.length - 2; at >= 0 && left >= 0; at--) if (fits(compounds[left]!, path[at]!)) left -= 1;
  return left < 0;
}

function fits({ name, id, classes }: Compound, element: StyledElement): boolean {
  return (
    (name === "" || name === "*" || name === element.name) &&
    (id === "" || id === element.id) &&
    classes.every((each) => element.classes.has(each))
  );
}
