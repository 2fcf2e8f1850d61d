import { notImplemented, serverError } from "./errors.ts";
import { isDocument, kindOf, setField, truthOf, type Document } from "./values.ts";

/** Makes the projected copy of a document. */
export type Projection = (document: Document) => Document;

/** The named fields: whole, or what of them. */
type Tree = Map<string, Tree | true>;

interface Field {
  readonly name: string;
  readonly wanted: boolean;
}

/** Reads a projection that includes or excludes fields (dotted or nested names); refuses every operator. */
export function parseProjection(projection: unknown): Projection | undefined {
  if (projection === undefined) return undefined;
  if (!isDocument(projection)) throw serverError("TypeMismatch", "a projection must be a document");
  const fields = fieldsOf(projection, "");
  const others = fields.filter(({ name }) => name !== "_id");
  const including = (others[0] ?? fields[0])?.wanted;
  if (including === undefined) return undefined;
  if (others.some(({ wanted }) => wanted !== including)) {
    throw serverError("BadValue", "Cannot mix the inclusion and the exclusion of fields in a projection");
  }
  const tree: Tree = new Map();
  for (const { name, wanted } of fields) if (wanted === including) add(tree, name);
  if (including && !fields.some(({ name }) => name.split(".")[0] === "_id")) tree.set("_id", true);
  return (document) => select(document, tree, including) as Document;
}

function fieldsOf(projection: Document, before: string): Field[] {
  return Object.keys(projection).flatMap((own) => {
    const name = before + own;
    const value = projection[own];
    const kind = kindOf(value);
    if (own.startsWith("$") || own.endsWith(".$")) throw notImplemented(`${name} in a projection`);
    if (kind === "boolean" || kind === "number") return { name, wanted: truthOf(value) };
    if (kind === "object" && Object.keys(value as Document).length > 0) return fieldsOf(value as Document, `${name}.`);
    throw notImplemented(`a computed field (${name}) in a projection`);
  });
}

function add(tree: Tree, name: string): void {
  const path = name.split(".");
  const last = path.pop() as string;
  let at = tree;
  for (const part of path) {
    const child = at.get(part) ?? new Map<string, Tree | true>();
    if (child === true) throw serverError("BadValue", `Path collision at ${name}`);
    at.set(part, child);
    at = child;
  }
  if (at.has(last)) throw serverError("BadValue", `Path collision at ${name}`);
  at.set(last, true);
}

/** What a projection leaves of a value: undefined for nothing. */
function select(value: unknown, tree: Tree, including: boolean): unknown {
  if (Array.isArray(value)) {
    return value.map((element) => select(element, tree, including)).filter((element) => element !== undefined);
  }
  if (!isDocument(value)) return including ? undefined : value;
  const result: Document = {};
  for (const name of Object.keys(value)) {
    const part = tree.get(name);
    const whole = part === undefined ? !including : part === true && including;
    const kept = whole ? value[name] : part instanceof Map ? select(value[name], part, including) : undefined;
    if (kept !== undefined) setField(result, name, kept);
  }
  return result;
}
