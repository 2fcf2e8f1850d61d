import { ScalarType } from "@bufbuild/protobuf";
import { assertNot64Bit, integerBounds } from "../field-names.ts";

/**
 * Creates the check of the keys of a map, which are strings in JSON: it returns the problem of a key, or undefined. An integer must be
 * written in its shortest form, so that two keys are never equal.
 * @throws ContractError for a 64-bit integer
 */
export function createKeyCheck(type: ScalarType, where: string): (key: string) => string | undefined {
  assertNot64Bit(type, where);
  const bounds = integerBounds(type);
  if (bounds !== undefined) {
    const { low, high } = bounds;
    return (key) => {
      const number = Number(key);
      const valid = Number.isInteger(number) && String(number) === key && number >= low && number <= high;
      return valid ? undefined : `must have a key that is a whole number from ${low} to ${high}`;
    };
  }
  if (type === ScalarType.BOOL)
    return (key) => (key === "true" || key === "false" ? undefined : 'must have the key "true" or "false"');
  return (key) => (key.isWellFormed() ? undefined : "must be well-formed text");
}
