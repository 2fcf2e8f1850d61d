/** The parts of a google.protobuf.Timestamp. */
export interface TimestampParts {
  readonly seconds: bigint;
  readonly nanos: number;
}

const format =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** The character codes of the text of a time. */
const codes = { zero: 48, hyphen: 45, point: 46, colon: 58, T: 84, Z: 90 } as const;

/** Returns the character code of the digit of a number at a power of ten. */
function digit(value: number, power: number): number {
  return codes.zero + (Math.floor(value / power) % 10);
}

/** Prints a timestamp as ISO 8601 in UTC with three fraction digits. Further digits are truncated. */
export function printTimestamp(timestamp: TimestampParts): string {
  const time = new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6));
  const year = time.getUTCFullYear();
  // Other years have more digits, and an invalid time throws an error.
  if (!(year >= 0 && year <= 9999)) return time.toISOString();
  const [month, day] = [time.getUTCMonth() + 1, time.getUTCDate()];
  const [hours, minutes, seconds] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()];
  const milliseconds = time.getUTCMilliseconds();
  // Lists print two times for each entry, and this takes half as long as `toISOString`.
  return String.fromCharCode(
    digit(year, 1000),
    digit(year, 100),
    digit(year, 10),
    digit(year, 1),
    codes.hyphen,
    digit(month, 10),
    digit(month, 1),
    codes.hyphen,
    digit(day, 10),
    digit(day, 1),
    codes.T,
    digit(hours, 10),
    digit(hours, 1),
    codes.colon,
    digit(minutes, 10),
    digit(minutes, 1),
    codes.colon,
    digit(seconds, 10),
    digit(seconds, 1),
    codes.point,
    digit(milliseconds, 100),
    digit(milliseconds, 10),
    digit(milliseconds, 1),
    codes.Z,
  );
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
