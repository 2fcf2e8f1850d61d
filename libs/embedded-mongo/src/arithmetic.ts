import { Double, Int32, Long } from "bson";
import { serverError } from "./errors.ts";
import { isDouble, numberOf } from "./values.ts";

const greatestInt = 2147483647n;
const greatestLong = 9223372036854775807n;

/** Adds or multiplies two numeric values with MongoDB's result types: int grows to long, a double makes a double. */
export function calculate(operation: "add" | "multiply", left: unknown, right: unknown): Int32 | Long | Double {
  if (isDouble(left) || isDouble(right)) {
    const [a, b] = [Number(numberOf(left)), Number(numberOf(right))];
    return new Double(operation === "add" ? a + b : a * b);
  }
  const [a, b] = [BigInt(numberOf(left)), BigInt(numberOf(right))];
  const result = operation === "add" ? a + b : a * b;
  if (result > greatestLong || result < -greatestLong - 1n) {
    throw serverError("BadValue", `the result of ${operation} does not fit a 64-bit integer`);
  }
  const small = result <= greatestInt && result >= -greatestInt - 1n;
  return small && !Long.isLong(left) && !Long.isLong(right) ? new Int32(Number(result)) : Long.fromBigInt(result);
}

/** A whole number as int when it fits, else as long. */
export function integerOf(value: number): Int32 | Long {
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}
