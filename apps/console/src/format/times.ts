import { texts } from "../texts/index.ts";

const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Returns a time of the API for people, in their time zone. A line can end between the day and the hour only. */
export function formatTime(time: string | null): string {
  if (time === null) return texts.none;
  return times.format(new Date(time)).replaceAll(" ", "\u00a0").replace(",\u00a0", ", ");
}

/** Returns the time at which a day (YYYY-MM-DD) begins for the caller; undefined if it is not a day. */
export function toBeginning(day: string): string | undefined {
  return toTime(day, 0);
}

/** Returns the time at which a day (YYYY-MM-DD) ends for the caller, which is when the next one begins; undefined if it is not a day. */
export function toEnd(day: string): string | undefined {
  return toTime(day, 1);
}

function toTime(day: string, offset: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  const time = new Date(Number(year), Number(month) - 1, Number(date) + offset);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
