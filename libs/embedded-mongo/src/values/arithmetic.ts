import { Double, Int32, Long } from "bson";
import { serverError } from "../errors.ts";
import { toNumber } from "./values.ts";

/** Adds two numeric values. The result has the type of MongoDB: an int overflows to a long, and with a double it is a double. */
export function add(left: unknown, right: unknown): Int32 | Long | Double {
  const isDouble = left instanceof Double || right instanceof Double;
  if (isDouble) return new Double(Number(toNumber(left)) + Number(toNumber(right)));
  const sum = BigInt(toNumber(left)) + BigInt(toNumber(right));
  if (BigInt.asIntN(64, sum) !== sum) throw serverError("BadValue", "the sum does not fit a 64-bit integer");
  const small = BigInt.asIntN(32, sum) === sum && !Long.isLong(left) && !Long.isLong(right);
  return small ? new Int32(Number(sum)) : Long.fromBigInt(sum);
}
