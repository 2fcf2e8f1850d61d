import { Buffer } from "node:buffer";
import { Int32 } from "bson";
import { add, integerOf } from "./arithmetic.ts";
import { notImplemented, serverError, type CodeName } from "./errors.ts";
import { parseFilter } from "./filter.ts";
import { encodeValue } from "./key-encoding.ts";
import { compileFilter } from "./matcher.ts";
import type { Query } from "./query.ts";
import { parseSort, sortKeyOf } from "./index-keys.ts";
import { fieldOf, isDocument, kindOf, setField, textOf, wholeNumber, type Document } from "./values.ts";

type Stage = (documents: Iterable<Document>) => Iterable<Document>;

const stages: { readonly [name: string]: (operand: unknown) => Stage } = {
  $match(operand) {
    const matches = compileFilter(parseFilter(operand));
    return (documents) => [...documents].filter((document) => matches(document));
  },
  $sort(operand) {
    const sort = parseSort(operand);
    return (documents) =>
      Array.from(documents, (document) => ({ document, key: sortKeyOf(sort, document) }))
        .sort((left, right) => Buffer.compare(left.key, right.key))
        .map(({ document }) => document);
  },
  $skip(operand) {
    const count = wholeNumber(operand, "$skip", "Location5107200", 0);
    return (documents) => [...documents].slice(count);
  },
  $limit(operand) {
    const count = limitOf(operand);
    return (documents) => [...documents].slice(0, count);
  },
  $group: parseGroup,
  $count(operand) {
    if (typeof operand !== "string" || operand === "") {
      throw serverError("Location40157", "the count field must be a non-empty string");
    }
    checkName(operand, "Location40158", "Location40160");
    return (documents) => {
      let count = 0;
      for (const _ of documents) count += 1;
      return count === 0 ? [] : [{ [operand]: integerOf(count) }];
    };
  },
};

/**
 * Reads a pipeline as the query at its beginning, which can use indexes, and the stages after it. Refuses every stage,
 * expression and accumulator that this server has not.
 */
export function parsePipeline(pipeline: unknown): { readonly query: Query; readonly stages: readonly Stage[] } {
  if (!Array.isArray(pipeline)) throw serverError("TypeMismatch", "'pipeline' must be an array");
  const parts = pipeline.map((stage: unknown) => {
    const [name, other] = isDocument(stage) ? Object.keys(stage) : [];
    if (name !== undefined && other === undefined) return { name, operand: (stage as Document)[name] };
    throw serverError("Location40323", "A pipeline stage specification object must contain exactly one field.");
  });
  const taken = (name: string): unknown => (parts[0]?.name === name ? parts.shift()?.operand : undefined);
  const [match = {}, sort = {}, skip, limit] = ["$match", "$sort", "$skip", "$limit"].map(taken);
  return {
    query: {
      filter: parseFilter(match),
      sort: parseSort(sort),
      skip: skip === undefined ? 0 : wholeNumber(skip, "$skip", "Location5107200", 0),
      limit: limit === undefined ? 0 : limitOf(limit),
    },
    stages: parts.map(({ name, operand }) => {
      const parse = Object.hasOwn(stages, name) ? stages[name] : undefined;
      if (parse === undefined) throw notImplemented(`the aggregation stage ${name}`);
      return parse(operand);
    }),
  };
}

function limitOf(operand: unknown): number {
  const limit = wholeNumber(operand, "$limit", "Location5107201", 0);
  if (limit === 0) throw serverError("Location15958", "the limit must be positive");
  return limit;
}

function parseGroup(operand: unknown): Stage {
  if (!isDocument(operand) || !("_id" in operand)) {
    throw serverError("Location15955", "a group specification must include an _id");
  }
  const id = parseExpression(operand["_id"]);
  const names = Object.keys(operand).filter((name) => name !== "_id");
  for (const name of names) checkName(name, "Location40236", "Location40235");
  const fields = names.map((name) => ({ name, summand: parseSum(name, operand[name]) }));
  const nothing = Object.fromEntries(names.map((name) => [name, new Int32(0)]));
  return (documents) => {
    const groups = new Map<string, Document>();
    for (const document of documents) {
      const value = id(document) ?? null;
      const key = encodeValue(value).toString("latin1");
      const group = groups.get(key) ?? { _id: value, ...nothing };
      groups.set(key, group);
      for (const { name, summand } of fields) {
        const each = summand(document);
        if (kindOf(each) === "number") setField(group, name, add(fieldOf(group, name), each));
      }
    }
    return groups.values();
  };
}

function checkName(name: string, withDollar: CodeName, withDot: CodeName): void {
  if (name.startsWith("$")) throw serverError(withDollar, `The field name '${name}' cannot be $-prefixed`);
  if (name.includes(".")) throw serverError(withDot, `The field name '${name}' cannot contain '.'`);
}

function parseSum(field: string, accumulator: unknown): Expression {
  const [operator, other] = isDocument(accumulator) ? Object.keys(accumulator) : [];
  if (!isDocument(accumulator) || operator === undefined || other !== undefined) {
    throw serverError("Location40234", `The field '${field}' must be an accumulator object with one operator`);
  }
  if (operator !== "$sum") throw notImplemented(`the accumulator ${operator}`);
  return parseExpression(accumulator[operator]);
}

type Expression = (document: Document) => unknown;

/** Reads `"$field.path"` or a constant; the result is undefined for "missing". */
function parseExpression(expression: unknown): Expression {
  if (isDocument(expression) || Array.isArray(expression)) {
    throw notImplemented(`the computed value ${textOf(expression)} in $group`);
  }
  if (typeof expression !== "string" || !expression.startsWith("$")) return () => expression;
  const path = expression.slice(1).split(".");
  if (path[0]?.startsWith("$") === true) throw notImplemented(`the aggregation variable ${expression}`);
  if (path.includes("")) throw serverError("BadValue", `'${expression}' is not a valid field path`);
  return (document) => follow(document, path);
}

function follow(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (isDocument(value)) return follow(fieldOf(value, name), rest);
  if (!Array.isArray(value)) return undefined;
  const found = value.map((element: unknown) => (isDocument(element) ? follow(element, path) : undefined));
  return found.filter((each) => each !== undefined);
}
