/** The parts of a google.protobuf.Timestamp. */
export interface TimestampParts {
  readonly seconds: bigint;
  readonly nanos: number;
}

const format =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Prints a timestamp as ISO 8601 in UTC with three fraction digits. Further digits are truncated. */
export function printTimestamp(timestamp: TimestampParts): string {
  return new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6)).toISOString();
}

const [first, last] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59Z")];

/**
 * Parses an RFC 3339 time with an offset. Returns undefined for anything else, including days that do not exist and times outside of the
 * years 1 to 9999 in UTC.
 */
export function parseTimestamp(text: string): TimestampParts | undefined {
  const match = format.exec(text);
  if (match === null) return undefined;
  const fraction = match[1] ?? "";
  const milliseconds = Date.parse(text.replace(fraction, ""));
  // Date.parse accepts the 31st of a short month as a day of the next month.
  const local = Date.parse(`${text.slice(0, 19)}Z`);
  if (Number.isNaN(milliseconds) || new Date(local).getUTCDate() !== Number(text.slice(8, 10))) return undefined;
  if (milliseconds < first || milliseconds > last) return undefined;
  const nanos = fraction === "" ? 0 : Number(fraction.slice(1).padEnd(9, "0"));
  return { seconds: BigInt(Math.floor(milliseconds / 1000)), nanos };
}
