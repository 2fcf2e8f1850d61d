import { notImplemented, serverError } from "../errors.ts";
import { checkValues, getField, isDocument, splitPath, toBoolean, type Document } from "../values/values.ts";

export type Comparison = "in" | "gt" | "gte" | "lt" | "lte";

export type Path = readonly string[];

/**
 * A parsed query. An empty path is the value itself, as in `$elemMatch` and `$pull`. Equality is "in" with one operand; the other
 * comparisons also have one operand.
 */
export type Filter =
  | { readonly kind: "and" | "or"; readonly parts: readonly Filter[] }
  | { readonly kind: "not"; readonly part: Filter }
  | { readonly kind: "compare"; readonly path: Path; readonly operator: Comparison; readonly operands: unknown[] }
  | { readonly kind: "exists"; readonly path: Path }
  | { readonly kind: "elements"; readonly path: Path; readonly part: Filter; readonly ofDocuments: boolean };

/** The operators for a field, with the functions that parse their operands. */
const operators: { readonly [name: string]: (path: Path, operand: unknown) => Filter } = {
  $eq: (path, operand) => compare(path, "in", [operand]),
  $ne: (path, operand) => negate(compare(path, "in", [operand])),
  $gt: (path, operand) => compare(path, "gt", [operand]),
  $gte: (path, operand) => compare(path, "gte", [operand]),
  $lt: (path, operand) => compare(path, "lt", [operand]),
  $lte: (path, operand) => compare(path, "lte", [operand]),
  $in: parseIn,
  $nin: (path, operand) => negate(parseIn(path, operand)),
  $not(path, operand) {
    if (!isOperators(operand)) throw serverError("BadValue", "$not needs a document of operators");
    return negate(parseOperators(path, operand));
  },
  $exists: (path, operand) => (toBoolean(operand) ? { kind: "exists", path } : negate({ kind: "exists", path })),
  $elemMatch(path, operand) {
    if (!isDocument(operand)) throw serverError("BadValue", "$elemMatch needs an Object");
    return { kind: "elements", path, ...parseElement(operand) };
  },
};

const logicalOperators = { $and: "and", $or: "or" } as const;

/** The query operators that the server supports. */
export const queryOperators: readonly string[] = [...Object.keys(operators), ...Object.keys(logicalOperators)];

/** Parses a query document. Throws an error for the client if the query contains anything that the server does not support. */
export function parseFilter(query: unknown): Filter {
  if (!isDocument(query)) throw serverError("TypeMismatch", "a query must be a document");
  return joinConditions(
    Object.keys(query).map((name) => {
      const operand = query[name];
      if (!name.startsWith("$")) return parseField(parsePath(name), operand);
      const kind = getField(logicalOperators, name);
      if (kind === undefined) throw notImplemented(`the query operator ${name} at this place`);
      if (!Array.isArray(operand) || operand.length === 0 || !operand.every(isDocument)) {
        throw serverError("BadValue", `${name} must be a nonempty array of documents`);
      }
      return { kind, parts: operand.map(parseFilter) };
    }),
  );
}

/**
 * Parses the condition that `$elemMatch` and `$pull` have for each element: operators for the element itself, or, with `ofDocuments`, a
 * query that only documents can match.
 */
export function parseElement(query: Document): { readonly part: Filter; readonly ofDocuments: boolean } {
  const ofDocuments = getField(operators, Object.keys(query)[0] ?? "") === undefined;
  return { ofDocuments, part: ofDocuments ? parseFilter(query) : parseOperators([], query) };
}

function parsePath(name: string): Path {
  // MongoDB finds the elements of an array by such a path.
  if (name.length > 1 && name.endsWith(".")) throw notImplemented(`the path '${name}', which ends with a dot,`);
  return splitPath(name);
}

function parseField(path: Path, operand: unknown): Filter {
  return isOperators(operand) ? parseOperators(path, operand) : compare(path, "in", [operand]);
}

/** Returns true for a document whose first field is an operator. */
function isOperators(value: unknown): value is Document {
  return isDocument(value) && Object.keys(value)[0]?.startsWith("$") === true;
}

function parseOperators(path: Path, query: Document): Filter {
  return joinConditions(
    Object.keys(query).map((name) => {
      const parse = getField(operators, name);
      if (parse === undefined) throw notImplemented(`the query operator ${name}`);
      return parse(path, query[name]);
    }),
  );
}

/** Rejects operands of unsupported types, including BSON regular expressions. */
function compare(path: Path, operator: Comparison, operands: unknown[]): Filter {
  for (const operand of operands) checkValues(operand);
  return { kind: "compare", path, operator, operands };
}

function parseIn(path: Path, operand: unknown): Filter {
  if (!Array.isArray(operand) || operand.some(isOperators)) {
    throw serverError("BadValue", "$in and $nin need an array of values");
  }
  return compare(path, "in", operand);
}

function negate(part: Filter): Filter {
  return { kind: "not", part };
}

function joinConditions(parts: Filter[]): Filter {
  return parts.length === 1 ? (parts[0] as Filter) : { kind: "and", parts };
}
