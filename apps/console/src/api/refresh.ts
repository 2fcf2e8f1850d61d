import type { InfiniteData, Query, QueryClient } from "@tanstack/react-query";

/** Requests again what is shown. */
export interface Refresh {
  /** Something has changed. */
  request(): void;
  end(): void;
}

/** Events that arrive within this time are one reason to request what is shown again, in milliseconds. */
const gatherMs = 300;
/** The time that each request reserves for itself, in milliseconds. The limit of the token also serves others. */
const perRequestMs = 1_000;

/**
 * Requests again what is shown, soon after a change; while there are always new ones, at most one request a second on average. What is being
 * requested anyway follows when it has arrived, and nothing else waits for it. To request it at once would interrupt it: the next page of a
 * list would never come.
 */
export function createRefresh(queries: QueryClient): Refresh {
  const late = new Set<Query>();
  let isChanged = false;
  let restsUntil = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function schedule(): void {
    timer ??= setTimeout(refresh, Math.max(gatherMs, restsUntil - Date.now()));
  }
  function refresh(): void {
    timer = undefined;
    const shown = queries.getQueryCache().findAll({ type: "active" });
    if (isChanged) for (const query of shown) if (isUnderWay(query)) late.add(query);
    for (const query of late) if (!shown.includes(query)) late.delete(query);
    const ready = shown.filter((query) => !isUnderWay(query) && (isChanged || late.has(query)));
    for (const query of ready) late.delete(query);
    restsUntil = Date.now() + perRequestMs * ready.reduce((sum, query) => sum + countRequests(query), 0);
    // What is not shown is not requested, but is known to be old when it is shown again.
    const isOld = isChanged ? (query: Query) => !isUnderWay(query) : (query: Query) => ready.includes(query);
    isChanged = false;
    void queries.invalidateQueries({ predicate: isOld });
    if (late.size > 0) schedule();
  }
  return {
    request() {
      isChanged = true;
      schedule();
    },
    end: () => clearTimeout(timer),
  };
}

function isUnderWay({ state }: Query): boolean {
  return state.fetchStatus !== "idle";
}

/** Returns how many requests a query makes: a list makes one for each of its pages that is shown, and what never changes makes none. */
function countRequests(query: Query): number {
  if (query.isStatic()) return 0;
  const data = query.state.data as Partial<InfiniteData<unknown>> | undefined;
  return data?.pageParams?.length ?? 1;
}
