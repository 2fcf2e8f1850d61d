const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Returns a time of the API for people, in their time zone. */
export function formatTime(time: string | null): string {
  return time === null ? "–" : times.format(new Date(time));
}

/** Returns a share from 0 to 1 as a percentage with at most one decimal. */
export function formatShare(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 1000) / 10} %`;
}
