import { notImplemented, serverError } from "./errors.ts";
import { isDocument, kindOf, setField, truthOf, type Document } from "./values.ts";

/** Makes the projected copy of a document. */
export type Projection = (document: Document) => Document;

/** The named fields: whether they are wanted, or what of them. */
type Tree = Map<string, Tree | boolean>;

/** Reads a projection that includes or excludes fields (dotted or nested names); refuses every operator. */
export function parseProjection(projection: unknown): Projection | undefined {
  if (projection === undefined) return undefined;
  if (!isDocument(projection)) throw serverError("TypeMismatch", "a projection must be a document");
  const fields = fieldsOf(projection, "");
  const [, including] = fields.find(([name]) => name !== "_id") ?? fields[0] ?? [];
  if (including === undefined) return undefined;
  const tree: Tree = new Map();
  for (const [name, wanted] of fields) {
    add(tree, name, wanted);
    if (wanted === including || name === "_id") continue;
    if (including) throw serverError("Location31254", `Cannot do exclusion on field ${name} in inclusion projection`);
    throw serverError("Location31253", `Cannot do inclusion on field ${name} in exclusion projection`);
  }
  if (including && !tree.has("_id")) tree.set("_id", true);
  return (document) => select(document, tree, including) as Document;
}

function fieldsOf(projection: Document, before: string): [string, boolean][] {
  return Object.keys(projection).flatMap((own) => {
    const name = before + own;
    const value = projection[own];
    const kind = kindOf(value);
    if (own.startsWith("$") || own.endsWith(".$")) throw notImplemented(`${name} in a projection`);
    if (kind === "boolean" || kind === "number") return [[name, truthOf(value)]];
    if (kind === "object" && Object.keys(value as Document).length > 0) return fieldsOf(value as Document, `${name}.`);
    throw notImplemented(`a computed field (${name}) in a projection`);
  });
}

function add(tree: Tree, name: string, wanted: boolean): void {
  const path = name.split(".");
  const last = path.pop() as string;
  let at = tree;
  for (const part of path) {
    const child = at.get(part) ?? new Map<string, Tree | boolean>();
    if (typeof child === "boolean") throw serverError("Location31249", `Path collision at ${name}`);
    at.set(part, child);
    at = child;
  }
  if (at.has(last)) throw serverError("Location31250", `Path collision at ${name}`);
  at.set(last, wanted);
}

/** What a projection leaves of a value: undefined for nothing. */
function select(value: unknown, tree: Tree, including: boolean): unknown {
  if (Array.isArray(value)) {
    return value.map((element) => select(element, tree, including)).filter((element) => element !== undefined);
  }
  if (!isDocument(value)) return including ? undefined : value;
  const result: Document = {};
  for (const name of Object.keys(value)) {
    const part = tree.get(name) ?? !including;
    const kept = part === true ? value[name] : part === false ? undefined : select(value[name], part, including);
    if (kept !== undefined) setField(result, name, kept);
  }
  return result;
}
