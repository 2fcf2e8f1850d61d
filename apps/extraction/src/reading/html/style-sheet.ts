/** The declarations of a style, by property. */
export type Declarations = ReadonlyMap<string, string>;

/** What a selector says about an element. */
interface Compound {
  /** Whether the element is directly in that of the previous compound. */
  readonly child: boolean;
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
}

interface Rule {
  /** The element itself and those that contain it, from the outside. */
  readonly compounds: readonly Compound[];
  readonly weight: number;
  /** Its place in the source, which decides between rules of the same weight. */
  readonly place: number;
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
const most = { characters: 200_000, rules: 5_000, remembered: 200_000 };

/**
 * Reads the style elements of HTML. Only rules that always apply on a screen are read: names, identifiers and classes, including those of
 * elements that contain the element. Rules with other selectors, for example of states, and of other media do not make text hidden.
 */
export function readStyleSheet(html: string): StyleSheet {
  const source = [...html.matchAll(/<style[^<>]*>([^]*?)(?:<\/style|$)/gi)].map(([, css = ""]) => css).join("\n");
  const rules: Rule[] = [];
  parseRules(source.slice(0, most.characters).replace(/\/\*[^]*?(\*\/|$)|<!--|-->/g, ""), rules);
  const byKey = new Map<string, Rule[]>();
  /** What the last compounds say. The other names of an element make no difference to whether they fit it. */
  const used = new Set<string>();
  for (const rule of rules) {
    const last = rule.compounds.at(-1)!;
    for (const name of getNames(last)) used.add(name);
    const key = getKey(last);
    const known = byKey.get(key) ?? [];
    byKey.set(key, known);
    known.push(rule);
  }
  /** For each kind of element, the rules whose last compound fits it; those of which nothing else is to be seen are joined to one. */
  const known = new Map<string, readonly Rule[]>();
  let remembered = 0;

  function findRules(element: StyledElement): readonly Rule[] {
    const found = ["*", ...getNames(element)]
      .flatMap((key) => byKey.get(key) ?? [])
      .filter(({ compounds }) => fits(compounds.at(-1)!, element))
      .sort((a, b) => a.weight - b.weight || a.place - b.place);
    if (found.length < 2 || found.some(({ compounds }) => compounds.length > 1)) return found;
    const declarations = new Map<string, string>();
    for (const rule of found) addDeclarations(declarations, rule.declarations);
    return [{ ...found[0]!, declarations }];
  }

  return {
    match(path) {
      const element = path.at(-1);
      if (element === undefined || byKey.size === 0) return [];
      const kind = getNames(element)
        .filter((name) => used.has(name))
        .join(" ");
      const candidates = known.get(kind) ?? findRules(element);
      if (!known.has(kind) && remembered < most.remembered) {
        known.set(kind, candidates);
        remembered += 1 + candidates.length;
      }
      return candidates
        .filter(({ compounds }) => compounds.length === 1 || matches(compounds, path))
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

/** Adds declarations to weaker ones. Those that are important are only replaced by others that are. */
export function addDeclarations(weaker: Map<string, string>, stronger: Declarations): void {
  for (const [name, value] of stronger) {
    if (value.includes("!important") || !weaker.get(name)?.includes("!important")) weaker.set(name, value);
  }
}

/** Adds the rules of a style to others, up to the maximum number of all. */
function parseRules(css: string, rules: Rule[]): void {
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
      if (/^@media\s+(only\s+)?(screen|all)$/i.test(prelude)) parseRules(css.slice(open + 1, end), rules);
      at = end + 1;
      continue;
    }
    const close = css.indexOf("}", open);
    const declarations = parseDeclarations(css.slice(open + 1, close < 0 ? undefined : close));
    for (const selector of prelude.split(",", most.rules - rules.length)) {
      const compounds = parseSelector(selector.trim());
      if (compounds !== undefined)
        rules.push({ compounds, weight: weigh(compounds), place: rules.length, declarations });
    }
    at = close < 0 ? css.length : close + 1;
  }
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
  const parts = selector.replace(/\s+/g, " ").replace(/ ?> ?/g, " >").split(" ");
  for (const combined of parts) {
    const child = combined.startsWith(">");
    const part = child ? combined.slice(1) : combined;
    if (child && compounds.length === 0) return undefined;
    const [, name = "", rest = ""] = /^(\*|[a-z][\w-]*)?((?:[.#][\w-]+)*)$/i.exec(part) ?? [];
    if (name === "" && rest === "") return undefined;
    const classes = [...rest.matchAll(/\.([\w-]+)/g)].map(([, each = ""]) => each);
    compounds.push({ child, name: name.toLowerCase(), id: /#([\w-]+)/.exec(rest)?.[1] ?? "", classes });
  }
  return compounds;
}

function weigh(compounds: readonly Compound[]): number {
  return compounds.reduce(
    (sum, { name, id, classes }) => sum + (id === "" ? 0 : 10_000) + classes.length * 100 + (/\w/.test(name) ? 1 : 0),
    0,
  );
}

/** Returns the names of an element or compound as selectors: `p`, `#id` and `.class`. */
function getNames({ name, id, classes }: { name: string; id: string; classes: Iterable<string> }): string[] {
  return [name, `#${id}`, ...[...classes].map((each) => `.${each}`)];
}

function getKey({ name, id, classes }: Compound): string {
  return id !== "" ? `#${id}` : classes[0] !== undefined ? `.${classes[0]}` : name || "*";
}

/** Whether nested elements match the compounds of a selector. */
function matches(compounds: readonly Compound[], path: readonly StyledElement[]): boolean {
  let end = path.length;
  for (let last = compounds.length - 1; last >= 0;) {
    // The compounds from `first` to `last` match elements that are directly in each other.
    let first = last;
    while (compounds[first]!.child) first -= 1;
    const fitsFrom = (start: number): boolean => {
      for (let at = first; at <= last; at += 1) if (!fits(compounds[at]!, path[start + at - first]!)) return false;
      return true;
    };
    // The innermost elements leave the most for the other compounds. Only the last compound must match the element itself.
    let start = end - (last - first + 1);
    while (start >= 0 && !fitsFrom(start)) start = end === path.length ? -1 : start - 1;
    if (start < 0) return false;
    end = start;
    last = first - 1;
  }
  return true;
}

function fits({ name, id, classes }: Compound, element: StyledElement): boolean {
  return (
    (name === "" || name === "*" || name === element.name) &&
    (id === "" || id === element.id) &&
    classes.every((each) => element.classes.has(each))
  );
}
