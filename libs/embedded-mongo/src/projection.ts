import { notImplemented, serverError } from "./errors.ts";
import { isDocument, kindOf, numberOf, setField, type Document } from "./values.ts";

/** Makes the projected copy of a document. */
export type Projection = (document: Document) => Document;

type Tree = Map<string, Tree | true>;

/** Reads a projection that includes or excludes fields (dotted or nested names); refuses every operator. */
export function parseProjection(projection: unknown): Projection | undefined {
  if (projection === undefined) return undefined;
  if (!isDocument(projection)) throw serverError("TypeMismatch", "a projection must be a document");
  const tree: Tree = new Map();
  const found = { included: false, excluded: false, id: undefined as boolean | undefined };
  read(projection, [], (path, wanted) => {
    if (path.length === 1 && path[0] === "_id") {
      found.id = wanted;
      return;
    }
    if (wanted) found.included = true;
    else found.excluded = true;
    add(tree, path);
  });
  if (tree.size === 0 && found.id === undefined) return undefined;
  if (found.included && found.excluded) {
    throw serverError("BadValue", "Cannot mix the inclusion and the exclusion of fields in a projection");
  }
  const including = found.included || (!found.excluded && found.id === true);
  if (including ? found.id !== false : found.id === false) tree.set("_id", true);
  return including ? (document) => include(document, tree) : (document) => exclude(document, tree);
}

function read(projection: Document, before: readonly string[], visit: (path: string[], wanted: boolean) => void): void {
  for (const name of Object.keys(projection)) {
    if (name.startsWith("$") || name.endsWith(".$")) throw notImplemented(`${name} in a projection`);
    const path = [...before, ...name.split(".")];
    const value = projection[name];
    const kind = kindOf(value);
    if (kind === "boolean") visit(path, value === true);
    else if (kind === "number") visit(path, numberOf(value) != 0);
    else if (kind === "object" && Object.keys(value as Document).length > 0) read(value as Document, path, visit);
    else throw notImplemented(`a computed field (${path.join(".")}) in a projection`);
  }
}

function add(tree: Tree, path: readonly string[]): void {
  let at = tree;
  path.forEach((name, depth) => {
    const next = at.get(name);
    if (next === true || (next !== undefined && depth === path.length - 1)) {
      throw serverError("BadValue", `Path collision at ${path.join(".")}`);
    }
    if (depth === path.length - 1) {
      at.set(name, true);
    } else {
      const child: Tree = next ?? new Map<string, Tree | true>();
      at.set(name, child);
      at = child;
    }
  });
}

function include(document: Document, tree: Tree): Document {
  const result: Document = {};
  for (const name of Object.keys(document)) {
    const part = tree.get(name);
    const value = part === true ? document[name] : part === undefined ? undefined : includeIn(document[name], part);
    if (value !== undefined) setField(result, name, value);
  }
  return result;
}

function includeIn(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) {
    return value.map((element) => includeIn(element, tree)).filter((element) => element !== undefined);
  }
  return isDocument(value) ? include(value, tree) : undefined;
}

function exclude(document: Document, tree: Tree): Document {
  const result: Document = {};
  for (const name of Object.keys(document)) {
    const part = tree.get(name);
    if (part !== true) setField(result, name, part === undefined ? document[name] : excludeIn(document[name], part));
  }
  return result;
}

function excludeIn(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((element) => excludeIn(element, tree));
  return isDocument(value) ? exclude(value, tree) : value;
}
