import { Buffer } from "node:buffer";
import { Double, Int32, Long } from "bson";
import { integerOf } from "./arithmetic.ts";
import { notImplemented, serverError } from "./errors.ts";
import { parseFilter } from "./filter.ts";
import { encodeValue } from "./key-encoding.ts";
import { compileFilter } from "./matcher.ts";
import type { Query } from "./query.ts";
import { parseSort, sortKeyOf } from "./sorting.ts";
import {
  fieldOf,
  isDocument,
  isDouble,
  kindOf,
  numberOf,
  setField,
  textOf,
  wholeNumber,
  type Document,
} from "./values.ts";

/** One stage: documents in, documents out. */
export type Stage = (documents: Iterable<Document>) => Iterable<Document>;

/** A pipeline: the query at its beginning, which can use indexes, and the stages after it. */
export interface Pipeline {
  readonly query: Query;
  readonly stages: readonly Stage[];
}

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
    const count = countOf("$skip", operand, 0);
    return (documents) => [...documents].slice(count);
  },
  $limit(operand) {
    const count = countOf("$limit", operand, 1);
    return (documents) => [...documents].slice(0, count);
  },
  $group: parseGroup,
  $count(operand) {
    if (typeof operand !== "string" || operand === "" || /^\$|\./.test(operand)) {
      throw serverError("BadValue", "the count field must be a name without $ and dots");
    }
    return (documents) => {
      let count = 0;
      for (const _ of documents) count += 1;
      return count === 0 ? [] : [{ [operand]: integerOf(count) }];
    };
  },
};

/** Reads a pipeline; refuses every stage, expression and accumulator that this server has not. */
export function parsePipeline(pipeline: unknown): Pipeline {
  if (!Array.isArray(pipeline)) throw serverError("TypeMismatch", "'pipeline' must be an array");
  const parts = pipeline.map((stage: unknown) => {
    const [name, other] = isDocument(stage) ? Object.keys(stage) : [];
    if (name !== undefined && other === undefined) return { name, operand: (stage as Document)[name] };
    throw serverError("BadValue", "A pipeline stage specification object must contain exactly one field.");
  });
  const taken = (name: string): unknown => (parts[0]?.name === name ? parts.shift()?.operand : undefined);
  const [match = {}, sort = {}, skip, limit] = ["$match", "$sort", "$skip", "$limit"].map(taken);
  return {
    query: {
      filter: parseFilter(match),
      sort: parseSort(sort),
      skip: skip === undefined ? 0 : countOf("$skip", skip, 0),
      limit: limit === undefined ? 0 : countOf("$limit", limit, 1),
    },
    stages: parts.map(({ name, operand }) => {
      const parse = Object.hasOwn(stages, name) ? stages[name] : undefined;
      if (parse === undefined) throw notImplemented(`the aggregation stage ${name}`);
      return parse(operand);
    }),
  };
}

function countOf(name: string, operand: unknown, least: number): number {
  const count = wholeNumber(operand, name);
  if (count < least) throw serverError("BadValue", `${name} must be at least ${least}`);
  return count;
}

function parseGroup(operand: unknown): Stage {
  if (!isDocument(operand) || !("_id" in operand)) {
    throw serverError("BadValue", "a group specification must include an _id");
  }
  const id = parseExpression(operand["_id"]);
  const names = Object.keys(operand).filter((name) => name !== "_id");
  const fields = names.map((name) => ({ name, summand: parseSum(name, operand[name]) }));
  return (documents) => {
    const groups = new Map<string, { readonly id: unknown; readonly sums: readonly Sum[] }>();
    for (const document of documents) {
      const value = id(document) ?? null;
      const key = encodeValue(value).toString("latin1");
      const group = groups.get(key) ?? { id: value, sums: fields.map(createSum) };
      groups.set(key, group);
      for (const [at, { summand }] of fields.entries()) group.sums[at]?.add(summand(document));
    }
    return Array.from(groups.values(), (group) => {
      const result: Document = { _id: group.id };
      for (const [at, { name }] of fields.entries()) setField(result, name, group.sums[at]?.result());
      return result;
    });
  };
}

function parseSum(field: string, accumulator: unknown): Expression {
  const [operator, other] = isDocument(accumulator) ? Object.keys(accumulator) : [];
  if (!isDocument(accumulator) || operator === undefined || other !== undefined) {
    throw serverError("BadValue", `The field '${field}' must be an accumulator object with one operator`);
  }
  if (operator !== "$sum") throw notImplemented(`the accumulator ${operator}`);
  return parseExpression(accumulator[operator]);
}

type Sum = ReturnType<typeof createSum>;

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

/** Adds whole numbers exactly, and doubles together with what rounding took from them, as MongoDB does. */
function createSum() {
  let [whole, isLong, isFractional] = [0n, false, false];
  let [sum, lost] = [0, 0];
  const addDouble = (each: number): void => {
    const next = sum + each;
    const part = next - sum;
    lost += sum - (next - part) + (each - part);
    sum = next;
  };
  return {
    add(each: unknown): void {
      if (kindOf(each) !== "number") return;
      isFractional ||= isDouble(each);
      isLong ||= Long.isLong(each);
      if (isDouble(each)) addDouble(each.value);
      else whole += BigInt(numberOf(each));
    },
    result(): unknown {
      if (!isFractional && BigInt.asIntN(64, whole) === whole) {
        return isLong || BigInt.asIntN(32, whole) !== whole ? Long.fromBigInt(whole) : new Int32(Number(whole));
      }
      addDouble(Number(whole));
      return new Double(Number.isFinite(sum) ? sum + lost : sum);
    },
  };
}
