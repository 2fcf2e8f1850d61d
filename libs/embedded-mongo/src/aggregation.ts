import { Buffer } from "node:buffer";
import { Long } from "bson";
import { parseAccumulator } from "./accumulators.ts";
import { integerOf } from "./arithmetic.ts";
import { notImplemented, serverError } from "./errors.ts";
import { parseExpression } from "./expression.ts";
import { parseFilter } from "./filter.ts";
import { encodeValue } from "./key-encoding.ts";
import { compileFilter } from "./matcher.ts";
import { parseProjection } from "./projection.ts";
import type { Query } from "./query.ts";
import { parseSort, sortKeyOf } from "./sorting.ts";
import { changeAt, removal, valueAt } from "./update-path.ts";
import { copyOf, isDocument, kindOf, setField, truthOf, wholeNumber, type Document } from "./values.ts";

/** One stage: documents in, documents out. */
export type Stage = (documents: Iterable<Document>) => Iterable<Document>;

/** A pipeline: the query at its beginning, which can use indexes, and the stages after it. */
export interface Pipeline {
  readonly query: Query;
  readonly stages: readonly Stage[];
}

/** Reads a pipeline; refuses every stage, expression and accumulator that this server has not. */
export function parsePipeline(pipeline: unknown): Pipeline {
  if (!Array.isArray(pipeline)) throw serverError("TypeMismatch", "'pipeline' must be an array");
  const parts = pipeline.map((stage: unknown) => {
    const name = isDocument(stage) ? Object.keys(stage)[0] : undefined;
    if (!isDocument(stage) || name === undefined || Object.keys(stage).length !== 1) {
      throw serverError("BadValue", "A pipeline stage specification object must contain exactly one field.");
    }
    return { name, operand: stage[name] };
  });
  let filter = parseFilter({});
  let sort: Query["sort"] = [];
  let [skip, limit, at] = [0, 0, 0];
  const part = (name: string): unknown =>
    parts[at]?.name === name ? (parts[at++] as { operand: unknown }).operand : undefined;
  const [match, order] = [part("$match"), part("$sort")];
  if (match !== undefined) filter = parseFilter(match);
  if (order !== undefined) sort = parseSort(order);
  const [skipped, limited] = [part("$skip"), part("$limit")];
  if (skipped !== undefined) skip = countOf("$skip", skipped, 0);
  if (limited !== undefined) limit = countOf("$limit", limited, 1);
  return {
    query: { filter, sort, skip, limit },
    stages: parts.slice(at).map(({ name, operand }) => parseStage(name, operand)),
  };
}

function parseStage(name: string, operand: unknown): Stage {
  switch (name) {
    case "$match": {
      const matches = compileFilter(parseFilter(operand));
      return (documents) => filtered(documents, (document) => matches(document));
    }
    case "$sort": {
      const sort = parseSort(operand);
      return (documents) =>
        [...documents]
          .map((document) => ({ document, key: sortKeyOf(sort, document) }))
          .sort((left, right) => Buffer.compare(left.key, right.key))
          .map(({ document }) => document);
    }
    case "$skip": {
      const count = countOf(name, operand, 0);
      return (documents) => {
        let seen = 0;
        return filtered(documents, () => ++seen > count);
      };
    }
    case "$limit": {
      const count = countOf(name, operand, 1);
      return (documents) => first(documents, count);
    }
    case "$project":
      return parseProject(operand);
    case "$group":
      return parseGroup(operand);
    case "$unwind":
      return parseUnwind(operand);
    case "$count": {
      if (typeof operand !== "string" || operand === "" || /^\$|\./.test(operand)) {
        throw serverError("BadValue", "the count field must be a name without $ and dots");
      }
      return (documents) => {
        let count = 0;
        for (const _ of documents) count += 1;
        return count === 0 ? [] : [{ [operand]: integerOf(count) }];
      };
    }
    default:
      throw notImplemented(`the aggregation stage ${name}`);
  }
}

function countOf(name: string, operand: unknown, least: number): number {
  const count = wholeNumber(operand, name);
  if (count < least) throw serverError("BadValue", `${name} must be at least ${least}`);
  return count;
}

function* filtered(documents: Iterable<Document>, wanted: (document: Document) => boolean): Iterable<Document> {
  for (const document of documents) if (wanted(document)) yield document;
}

function* first(documents: Iterable<Document>, count: number): Iterable<Document> {
  let left = count;
  for (const document of documents) {
    yield document;
    left -= 1;
    if (left === 0) return;
  }
}

function parseProject(operand: unknown): Stage {
  if (!isDocument(operand) || Object.keys(operand).length === 0) {
    throw serverError("BadValue", "$project needs a non-empty document");
  }
  const plain: Document = {};
  const computed: { name: string; expression: ReturnType<typeof parseExpression> }[] = [];
  for (const name of Object.keys(operand)) {
    const value = operand[name];
    const isComputed =
      typeof value === "string" ||
      Array.isArray(value) ||
      (isDocument(value) && Object.keys(value)[0]?.startsWith("$"));
    if (isComputed !== true) setField(plain, name, value);
    else if (name.includes(".")) throw notImplemented(`a computed field with a dotted name (${name}) in $project`);
    else computed.push({ name, expression: parseExpression(value) });
  }
  // A projection that only computes fields is one that includes: everything else goes, but _id.
  const ids = kindOf(plain["_id"]) === "missing" || truthOf(plain["_id"]);
  if (computed.length > 0) {
    const excluded = Object.keys(plain).find(
      (name) => name !== "_id" && !isDocument(plain[name]) && !truthOf(plain[name]),
    );
    if (excluded !== undefined) throw serverError("BadValue", `cannot exclude ${excluded} in a $project that includes`);
    if (Object.keys(plain).every((name) => name === "_id")) plain["_id"] = true;
  }
  const project = parseProjection(plain) ?? ((document: Document) => document);
  return (documents) =>
    mapped(documents, (document) => {
      const result = project(document);
      if (!ids) delete result["_id"];
      for (const { name, expression } of computed) {
        const value = expression(document);
        if (value !== undefined) setField(result, name, value);
      }
      return result;
    });
}

function* mapped(documents: Iterable<Document>, change: (document: Document) => Document): Iterable<Document> {
  for (const document of documents) yield change(document);
}

function parseGroup(operand: unknown): Stage {
  if (!isDocument(operand) || !("_id" in operand))
    throw serverError("BadValue", "a group specification must include an _id");
  const id = parseExpression(operand["_id"]);
  const fields = Object.keys(operand)
    .filter((name) => name !== "_id")
    .map((name) => ({ name, make: parseAccumulator(name, operand[name]) }));
  return (documents) => {
    const groups = new Map<
      string,
      { id: unknown; accumulators: { add(document: Document): void; result(): unknown }[] }
    >();
    for (const document of documents) {
      const value = id(document) ?? null;
      const key = encodeValue(value).toString("latin1");
      let group = groups.get(key);
      if (group === undefined) {
        groups.set(key, (group = { id: value, accumulators: fields.map(({ make }) => make()) }));
      }
      for (const accumulator of group.accumulators) accumulator.add(document);
    }
    return [...groups.values()].map((group) => {
      const result: Document = { _id: group.id };
      fields.forEach(({ name }, at) => setField(result, name, group.accumulators[at]?.result()));
      return result;
    });
  };
}

function parseUnwind(operand: unknown): Stage {
  const options: Document = isDocument(operand) ? operand : { path: operand };
  const unknown = Object.keys(options).find(
    (name) => !["path", "preserveNullAndEmptyArrays", "includeArrayIndex"].includes(name),
  );
  if (unknown !== undefined) throw serverError("BadValue", `unrecognized option to $unwind stage: ${unknown}`);
  const { path: text, includeArrayIndex: indexName } = options;
  if (typeof text !== "string" || !text.startsWith("$")) {
    throw serverError("BadValue", "the path of $unwind must be a string that begins with $");
  }
  if (indexName !== undefined && typeof indexName !== "string") {
    throw serverError("BadValue", "includeArrayIndex must be a string");
  }
  const path = text.slice(1).split(".");
  const keep = truthOf(options["preserveNullAndEmptyArrays"]);
  return function* (documents) {
    for (const document of documents) {
      const value = valueAt(document, path);
      const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
      const nothing = elements.length === 0 || value === undefined || value === null;
      if (nothing && !keep) continue;
      for (const [at, element] of (elements.length === 0 ? [undefined] : elements).entries()) {
        const result = copyOf(document);
        if (Array.isArray(value)) changeAt(result, path, "skip", () => (element === undefined ? removal : element));
        if (indexName !== undefined) {
          const place = Array.isArray(value) && elements.length > 0 ? Long.fromNumber(at) : null;
          changeAt(result, indexName.split("."), "create", () => place);
        }
        yield result;
      }
    }
  };
}
