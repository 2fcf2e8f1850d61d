import { notImplemented, serverError } from "./errors.ts";
import { fieldOf, isDocument, setField, type Document } from "./values.ts";

/** Computes a value from a document; undefined for "missing". */
export type Expression = (document: Document) => unknown;

/** Reads an aggregation expression: constants, `"$field.path"`, `$$ROOT`, `$literal`, documents and arrays of these. */
export function parseExpression(expression: unknown): Expression {
  if (typeof expression === "string" && expression.startsWith("$")) return parsePath(expression);
  if (Array.isArray(expression)) {
    const parts = expression.map(parseExpression);
    return (document) => parts.map((part) => part(document) ?? null);
  }
  if (!isDocument(expression)) return () => expression;
  const names = Object.keys(expression);
  const operator = names.find((name) => name.startsWith("$"));
  if (operator === "$literal" && names.length === 1) {
    const literal = expression[operator];
    return () => literal;
  }
  if (operator !== undefined) throw notImplemented(`the aggregation expression ${operator}`);
  const parts = names.map((name) => ({ name, part: parseExpression(expression[name]) }));
  return (document) => {
    const result: Document = {};
    for (const { name, part } of parts) {
      const value = part(document);
      if (value !== undefined) setField(result, name, value);
    }
    return result;
  };
}

function parsePath(text: string): Expression {
  const whole = text === "$$ROOT" || text === "$$CURRENT";
  if (whole) return (document) => document;
  const path = text.startsWith("$$ROOT.") ? text.slice(7).split(".") : text.slice(1).split(".");
  if (path[0]?.startsWith("$") === true) throw notImplemented(`the aggregation variable ${text}`);
  if (path.includes("")) throw serverError("BadValue", `'${text}' is not a valid field path`);
  return (document) => follow(document, path, 0);
}

function follow(value: unknown, path: readonly string[], depth: number): unknown {
  if (depth === path.length) return value;
  if (Array.isArray(value)) {
    return value.flatMap((element: unknown) => {
      const found = Array.isArray(element) && depth === 0 ? undefined : follow(element, path, depth);
      return found === undefined ? [] : [found];
    });
  }
  return isDocument(value) ? follow(fieldOf(value, path[depth] as string), path, depth + 1) : undefined;
}
