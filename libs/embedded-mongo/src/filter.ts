import { notImplemented, serverError } from "./errors.ts";
import { isDocument, kindOf, truthOf, wholeNumber, type Document } from "./values.ts";

export type Comparison = "eq" | "gt" | "gte" | "lt" | "lte";

export type Path = readonly string[];

/** A query that was read and checked. An empty path means the value itself (inside `$elemMatch` and `$pull`). */
export type Filter =
  | { readonly kind: "and" | "or"; readonly parts: readonly Filter[] }
  | { readonly kind: "not"; readonly part: Filter }
  | { readonly kind: "compare"; readonly path: Path; readonly operator: Comparison; readonly operand: unknown }
  | { readonly kind: "in"; readonly path: Path; readonly operands: readonly unknown[] }
  | { readonly kind: "exists"; readonly path: Path }
  | { readonly kind: "size"; readonly path: Path; readonly size: number }
  | { readonly kind: "elements"; readonly path: Path; readonly part: Filter; readonly ofDocuments: boolean };

const operators: { readonly [name: string]: (path: Path, operand: unknown) => Filter } = {
  $eq: (path, operand) => ({ kind: "compare", path, operator: "eq", operand }),
  $gt: (path, operand) => range(path, "gt", operand),
  $gte: (path, operand) => range(path, "gte", operand),
  $lt: (path, operand) => range(path, "lt", operand),
  $lte: (path, operand) => range(path, "lte", operand),
  $ne(path, operand) {
    if (kindOf(operand) === "regex") throw serverError("BadValue", "Can't have regex as arg to $ne.");
    return { kind: "not", part: { kind: "compare", path, operator: "eq", operand } };
  },
  $in: (path, operand) => isIn(path, "$in", operand),
  $nin: (path, operand) => ({ kind: "not", part: isIn(path, "$nin", operand) }),
  $not(path, operand) {
    refusePattern(operand);
    if (!isOperators(operand)) throw serverError("BadValue", "$not needs a regex or a document of operators");
    return { kind: "not", part: parseOperators(path, operand) };
  },
  $exists: (path, operand) =>
    truthOf(operand) ? { kind: "exists", path } : { kind: "not", part: { kind: "exists", path } },
  $size: (path, operand) => ({ kind: "size", path, size: wholeNumber(operand, "$size", "BadValue", 0) }),
  $elemMatch(path, operand) {
    if (!isDocument(operand)) throw serverError("BadValue", "$elemMatch needs an Object");
    return { kind: "elements", path, ...parseElement(operand) };
  },
  $all(path, operand) {
    if (!Array.isArray(operand)) throw serverError("BadValue", "$all needs an array");
    if (operand.length === 0) return { kind: "or", parts: [] };
    return together(
      operand.map((value: unknown) => {
        if (!isOperators(value) || Object.keys(value)[0] === "$elemMatch") return parseField(path, value);
        throw serverError("BadValue", "no $ expressions in $all");
      }),
    );
  },
};

/** Reads a query document; throws the client's error for anything this server does not evaluate. */
export function parseFilter(query: unknown): Filter {
  if (!isDocument(query)) throw serverError("TypeMismatch", "a query must be a document");
  return together(
    Object.keys(query).map((name) => {
      const operand = query[name];
      if (!name.startsWith("$")) return parseField(name.split("."), operand);
      if (Object.hasOwn(operators, name)) throw serverError("BadValue", `unknown top level operator: ${name}`);
      if (name !== "$and" && name !== "$or" && name !== "$nor") throw notImplemented(`the query operator ${name}`);
      if (!Array.isArray(operand) || operand.length === 0 || !operand.every(isDocument)) {
        throw serverError("BadValue", `${name} must be a nonempty array of documents`);
      }
      const parts = operand.map(parseFilter);
      return name === "$nor"
        ? { kind: "not", part: { kind: "or", parts } }
        : { kind: name === "$or" ? "or" : "and", parts };
    }),
  );
}

/**
 * Reads what `$elemMatch` and `$pull` ask of each element: operators of the element itself, or, `ofDocuments`, a query
 * that only a document can meet.
 */
export function parseElement(query: Document): { readonly part: Filter; readonly ofDocuments: boolean } {
  const ofDocuments = !isOperators(query) || !Object.hasOwn(operators, Object.keys(query)[0] as string);
  return { ofDocuments, part: ofDocuments ? parseFilter(query) : parseOperators([], query) };
}

/** Refuses regular expressions: JavaScript's are not those of MongoDB. */
export function refusePattern(operand: unknown): void {
  if (kindOf(operand) === "regex") throw notImplemented("a regular expression in a query");
}

function parseField(path: Path, operand: unknown): Filter {
  refusePattern(operand);
  return isOperators(operand) ? parseOperators(path, operand) : { kind: "compare", path, operator: "eq", operand };
}

/** True for a document whose first field is an operator. */
function isOperators(value: unknown): value is Document {
  return isDocument(value) && Object.keys(value)[0]?.startsWith("$") === true;
}

function parseOperators(path: Path, query: Document): Filter {
  return together(
    Object.keys(query).map((name) => {
      const parse = Object.hasOwn(operators, name) ? operators[name] : undefined;
      if (parse !== undefined) return parse(path, query[name]);
      if (name.startsWith("$")) throw notImplemented(`the query operator ${name}`);
      throw serverError("BadValue", `unknown operator: ${name}`);
    }),
  );
}

function range(path: Path, operator: Comparison, operand: unknown): Filter {
  const kind = kindOf(operand);
  if (kind === "regex") throw serverError("BadValue", "Can't have RegEx as arg to a range operator");
  if (kind === "minKey" || kind === "maxKey") throw notImplemented("a range with MinKey or MaxKey");
  return { kind: "compare", path, operator, operand };
}

function isIn(path: Path, name: string, operand: unknown): Filter {
  if (!Array.isArray(operand)) throw serverError("BadValue", `${name} needs an array`);
  operand.forEach(refusePattern);
  if (operand.some(isOperators)) throw serverError("BadValue", `cannot nest $ under ${name}`);
  return { kind: "in", path, operands: operand };
}

function together(parts: Filter[]): Filter {
  return parts.length === 1 ? (parts[0] as Filter) : { kind: "and", parts };
}
