import { Double, Int32 } from "bson";
import { calculate } from "./arithmetic.ts";
import { compareValues, sameValue } from "./key-encoding.ts";
import { notImplemented, serverError } from "./errors.ts";
import { parseExpression } from "./expression.ts";
import { isDocument, kindOf, numberOf, type Document } from "./values.ts";

/** Gathers one value over the documents of a group. */
export interface Accumulator {
  add(document: Document): void;
  result(): unknown;
}

/** Reads an accumulator of `$group`; the result makes a new one for each group. */
export function parseAccumulator(field: string, accumulator: unknown): () => Accumulator {
  const names = isDocument(accumulator) ? Object.keys(accumulator) : [];
  const operator = names[0];
  if (!isDocument(accumulator) || operator === undefined || names.length !== 1) {
    throw serverError("BadValue", `The field '${field}' must be an accumulator object with one operator`);
  }
  if (operator === "$count") return () => folded(() => new Int32(1), new Int32(0), sum);
  const value = parseExpression(accumulator[operator]);
  switch (operator) {
    case "$sum":
      return () => folded(value, new Int32(0), sum);
    case "$avg":
      return () => average(value);
    case "$min":
      return () => folded(value, undefined, (least, each) => better(least, each, -1));
    case "$max":
      return () => folded(value, undefined, (most, each) => better(most, each, 1));
    case "$first":
      return () => {
        let first: unknown;
        let started = false;
        return {
          add: (document) => {
            if (!started) first = value(document);
            started = true;
          },
          result: () => first ?? null,
        };
      };
    case "$last":
      return () => folded(value, undefined, (_, each) => each ?? null);
    case "$push":
      return () => list(value, () => true);
    case "$addToSet":
      return () => list(value, (values, each) => !values.some((other) => sameValue(other, each)));
    default:
      throw notImplemented(`the accumulator ${operator}`);
  }
}

function folded(
  value: (document: Document) => unknown,
  start: unknown,
  fold: (before: unknown, each: unknown) => unknown,
): Accumulator {
  let state = start;
  return {
    add: (document) => {
      state = fold(state, value(document));
    },
    result: () => state ?? null,
  };
}

function sum(total: unknown, each: unknown): unknown {
  return kindOf(each) === "number" ? calculate("add", total, each) : total;
}

function better(best: unknown, each: unknown, direction: 1 | -1): unknown {
  if (each === undefined || each === null) return best;
  return best === undefined || compareValues(each, best) * direction > 0 ? each : best;
}

function average(value: (document: Document) => unknown): Accumulator {
  let total = 0;
  let count = 0;
  return {
    add: (document) => {
      const each = value(document);
      if (kindOf(each) !== "number") return;
      total += Number(numberOf(each));
      count += 1;
    },
    result: () => (count === 0 ? null : new Double(total / count)),
  };
}

function list(
  value: (document: Document) => unknown,
  wanted: (values: readonly unknown[], each: unknown) => boolean,
): Accumulator {
  const values: unknown[] = [];
  return {
    add: (document) => {
      const each = value(document);
      if (each !== undefined && wanted(values, each)) values.push(each);
    },
    result: () => values,
  };
}
