import { notImplemented, serverError } from "../errors.ts";
import { isDocument, getKind, splitPath, toText, toBoolean, type Document } from "../values/values.ts";

/** The kinds of projections that the server supports. */
export const projectionKinds: readonly string[] = ["inclusion", "exclusion"];

/** Returns the projection of a document as a copy. */
export type Projection = (document: Document) => Document;

/** The projected fields. An empty tree stands for the complete value of a field. */
type Tree = Map<string, Tree>;

/** Parses a projection that includes or excludes fields, with dotted names. Rejects operators. */
export function parseProjection(projection: unknown): Projection | undefined {
  if (projection === undefined) return undefined;
  if (!isDocument(projection)) throw serverError("TypeMismatch", "a projection must be a document");
  const fields = Object.keys(projection).map((name) => ({ name, wanted: isIncluded(name, projection[name]) }));
  const first = fields.find(({ name }) => name !== "_id") ?? fields[0];
  if (first === undefined) return undefined;
  const including = first.wanted;
  const tree: Tree = new Map();
  for (const { name, wanted } of fields) {
    const path = splitPath(name);
    if (path.includes("")) throw serverError("EmptyFieldName", `The projection '${name}' has an empty field name`);
    if (wanted === including) add(tree, path);
    else if (name !== "_id") throw serverError("BadValue", `Cannot both include and exclude fields: ${name}`);
  }
  if (including && !("_id" in projection) && !tree.has("_id")) tree.set("_id", new Map());
  return (document) => select(document, tree, including) as Document;
}

function isIncluded(name: string, value: unknown): boolean {
  const kind = getKind(value);
  if ((kind === "boolean" || kind === "number") && !/(^|\.)\$/.test(name)) return toBoolean(value);
  throw notImplemented(`the projection of ${name} by ${toText(value)}`);
}

function add(tree: Tree, path: readonly string[]): void {
  const [name = "", ...rest] = path;
  const known = tree.get(name);
  if (known !== undefined && (rest.length === 0 || known.size === 0)) {
    throw serverError("BadValue", `Path collision at ${path.join(".")}`);
  }
  const child = known ?? new Map<string, Tree>();
  tree.set(name, child);
  if (rest.length > 0) add(child, rest);
}

/** Returns the part of a value that a projection keeps, or undefined if there is none. */
function select(value: unknown, tree: Tree, including: boolean): unknown {
  if (tree.size === 0) return including ? value : undefined;
  if (Array.isArray(value)) {
    return value.map((element) => select(element, tree, including)).filter((element) => element !== undefined);
  }
  if (!isDocument(value)) return including ? undefined : value;
  const kept: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const part = tree.get(name);
    const left = part !== undefined ? select(value[name], part, including) : including ? undefined : value[name];
    if (left !== undefined) kept.push([name, left]);
  }
  return Object.fromEntries(kept);
}
