import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { invalid } from "@switchyard/rpc";

/** A range of times in whole milliseconds: from the first on, and before the second. Without a bound, it is open. */
export interface TimeRange {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Returns the range that a request asks for. Throws InvalidArgument (field to) if it ends before it begins. */
export function toTimeRange({ from, to }: { from?: Timestamp | undefined; to?: Timestamp | undefined }): TimeRange {
  const range = { from: from && toDate(from), to: to && toDate(to) };
  if (range.from !== undefined && range.to !== undefined && range.to < range.from) {
    throw invalid([{ field: "to", message: "must not be before from" }]);
  }
  return range;
}

/** Rounds a time up to whole milliseconds: what has whole milliseconds is before a time if it is before the next millisecond. */
function toDate({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + Math.ceil(nanos / 1e6));
}
