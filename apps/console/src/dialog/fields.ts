import { ApiError } from "@switchyard/client";

/** Returns why the server refused a field of a request, to be shown at the field; undefined if it did not. */
export function getFieldError(error: unknown, ...names: readonly string[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.errors.find(({ field }) => names.includes(field))?.message;
}

/** Returns the number in a number input, or null if it is empty. */
export function toNumber(value: string | number): number | null {
  return value === "" || Number.isNaN(Number(value)) ? null : Number(value);
}
