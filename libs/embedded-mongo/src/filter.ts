import { BSONRegExp } from "bson";
import { notImplemented, serverError } from "./errors.ts";
import { compilePattern } from "./regular-expression.ts";
import { isDocument, kindOf, numberOf, typeNumber, wholeNumber, type Document } from "./values.ts";

export type Comparison = "eq" | "gt" | "gte" | "lt" | "lte";

/** A query that was read and checked. An empty path means the value itself (inside `$elemMatch` and `$pull`). */
export type Filter =
  | { readonly kind: "and" | "or" | "nor"; readonly parts: readonly Filter[] }
  | { readonly kind: "not"; readonly part: Filter }
  | { readonly kind: "compare"; readonly path: Path; readonly operator: Comparison; readonly operand: unknown }
  | { readonly kind: "in"; readonly path: Path; readonly operands: readonly unknown[]; readonly patterns: RegExp[] }
  | { readonly kind: "pattern"; readonly path: Path; readonly pattern: RegExp; readonly source: BSONRegExp }
  | { readonly kind: "exists"; readonly path: Path }
  | { readonly kind: "type"; readonly path: Path; readonly types: readonly (number | "number")[] }
  | { readonly kind: "size"; readonly path: Path; readonly size: number }
  | { readonly kind: "elements"; readonly path: Path; readonly part: Filter; readonly ofDocuments: boolean };

export type Path = readonly string[];

const comparisons: { readonly [operator: string]: Comparison } = {
  $eq: "eq",
  $gt: "gt",
  $gte: "gte",
  $lt: "lt",
  $lte: "lte",
};

/** Reads a query document; throws the client's error for anything this server does not evaluate. */
export function parseFilter(query: unknown): Filter {
  if (!isDocument(query)) throw serverError("TypeMismatch", "a query must be a document");
  const parts: Filter[] = [];
  for (const name of Object.keys(query)) {
    const operand = query[name];
    if (name === "$and" || name === "$or" || name === "$nor") {
      parts.push({ kind: name.slice(1) as "and", parts: partsOf(name, operand) });
    } else if (name === "$comment") {
      continue;
    } else if (name.startsWith("$")) {
      throw notImplemented(`the query operator ${name}`);
    } else {
      parts.push(parseField(name.split("."), operand));
    }
  }
  return joined(parts);
}

/** True for a document whose first field is an operator. */
export function isOperators(value: unknown): value is Document {
  return isDocument(value) && Object.keys(value)[0]?.startsWith("$") === true;
}

/** Reads the operators of one field (`{ $gt: 1, $lt: 5 }`). */
export function parseOperators(path: Path, operators: Document): Filter {
  if ("$options" in operators && !("$regex" in operators)) throw serverError("BadValue", "$options needs a $regex");
  const names = Object.keys(operators).filter((name) => name !== "$options");
  return joined(names.map((name) => parseOperator(path, name, operators[name], operators)));
}

function parseField(path: Path, operand: unknown): Filter {
  if (isOperators(operand)) return parseOperators(path, operand);
  if (kindOf(operand) === "regex") return patternOf(path, operand as BSONRegExp);
  return compare(path, "eq", operand);
}

function parseOperator(path: Path, name: string, operand: unknown, siblings: Document): Filter {
  const comparison = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined;
  if (comparison !== undefined) return compare(path, comparison, operand);
  switch (name) {
    case "$ne":
      if (kindOf(operand) === "regex") throw serverError("BadValue", "Can't have regex as arg to $ne.");
      return { kind: "not", part: compare(path, "eq", operand) };
    case "$in":
      return parseIn(path, name, operand);
    case "$nin":
      return { kind: "not", part: parseIn(path, name, operand) };
    case "$not":
      if (kindOf(operand) === "regex") return { kind: "not", part: patternOf(path, operand as BSONRegExp) };
      if (!isOperators(operand)) throw serverError("BadValue", "$not needs a regex or a document of operators");
      return { kind: "not", part: parseOperators(path, operand) };
    case "$exists": {
      const part: Filter = { kind: "exists", path };
      const wanted =
        operand === null ? false : kindOf(operand) === "number" ? numberOf(operand) != 0 : operand !== false;
      return wanted ? part : { kind: "not", part };
    }
    case "$type":
      return { kind: "type", path, types: (Array.isArray(operand) ? operand : [operand]).map(typeOf) };
    case "$size": {
      const size = wholeNumber(operand, "$size");
      if (size < 0) throw serverError("BadValue", "$size may not be negative");
      return { kind: "size", path, size };
    }
    case "$elemMatch":
      return parseElements(path, operand);
    case "$all":
      return parseAll(path, operand);
    case "$regex":
      return parseRegex(path, operand, siblings["$options"]);
    default:
      if (name.startsWith("$")) throw notImplemented(`the query operator ${name}`);
      throw serverError("BadValue", `unknown operator: ${name}`);
  }
}

function compare(path: Path, operator: Comparison, operand: unknown): Filter {
  const kind = kindOf(operand);
  if (operator !== "eq") {
    if (kind === "regex") throw serverError("BadValue", "Can't have RegEx as arg to a range operator");
    if (kind === "minKey" || kind === "maxKey") throw notImplemented("a range with MinKey or MaxKey");
  }
  return { kind: "compare", path, operator, operand };
}

function parseIn(path: Path, name: string, operand: unknown): Filter {
  if (!Array.isArray(operand)) throw serverError("BadValue", `${name} needs an array`);
  const patterns: RegExp[] = [];
  const operands = operand.filter((value: unknown) => {
    if (isOperators(value)) throw serverError("BadValue", `cannot nest $ under ${name}`);
    if (kindOf(value) !== "regex") return true;
    patterns.push(compilePattern((value as BSONRegExp).pattern, (value as BSONRegExp).options));
    return false;
  });
  return { kind: "in", path, operands, patterns };
}

function parseElements(path: Path, operand: unknown): Filter {
  if (!isDocument(operand)) throw serverError("BadValue", "$elemMatch needs an Object");
  const first = Object.keys(operand)[0];
  const ofDocuments = !isOperators(operand) || first === "$and" || first === "$or" || first === "$nor";
  const part = ofDocuments ? parseFilter(operand) : parseOperators([], operand);
  return { kind: "elements", path, part, ofDocuments };
}

function parseAll(path: Path, operand: unknown): Filter {
  if (!Array.isArray(operand)) throw serverError("BadValue", "$all needs an array");
  if (operand.length === 0) return { kind: "or", parts: [] };
  const parts = operand.map((value: unknown): Filter => {
    if (!isOperators(value)) return parseField(path, value);
    if (Object.keys(value).length === 1 && "$elemMatch" in value) return parseElements(path, value["$elemMatch"]);
    throw serverError("BadValue", "no $ expressions in $all");
  });
  return joined(parts);
}

function parseRegex(path: Path, operand: unknown, options: unknown): Filter {
  if (options !== undefined && typeof options !== "string")
    throw serverError("BadValue", "$options has to be a string");
  if (typeof operand === "string") return patternOf(path, new BSONRegExp(operand, options ?? ""));
  if (kindOf(operand) !== "regex") throw serverError("BadValue", "$regex has to be a string");
  const { pattern, options: own } = operand as BSONRegExp;
  if (own !== "" && options !== undefined) throw serverError("BadValue", "options set in both $regex and $options");
  return patternOf(path, new BSONRegExp(pattern, options ?? own));
}

function patternOf(path: Path, source: BSONRegExp): Filter {
  return { kind: "pattern", path, pattern: compilePattern(source.pattern, source.options), source };
}

function typeOf(operand: unknown): number | "number" {
  if (operand === "number") return "number";
  if (typeof operand === "string") {
    const number = typeNumber(operand);
    if (number === undefined) throw notImplemented(`$type "${operand}"`);
    return number;
  }
  return wholeNumber(operand, "$type");
}

function partsOf(name: string, operand: unknown): Filter[] {
  if (!Array.isArray(operand) || operand.length === 0) {
    throw serverError("BadValue", `${name} must be a nonempty array`);
  }
  return operand.map(parseFilter);
}

function joined(parts: Filter[]): Filter {
  return parts.length === 1 ? (parts[0] as Filter) : { kind: "and", parts };
}
