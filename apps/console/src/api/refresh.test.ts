import { InfiniteQueryObserver, QueryClient, QueryObserver } from "@tanstack/react-query";
import { createRefresh } from "./refresh.ts";

describe("createRefresh", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Shows the result of a query that takes a time, and returns how often it has been requested. */
  function show(queries: QueryClient, name: string, takesMs: number): () => number {
    let requests = 0;
    const queryFn = async (): Promise<number> => {
      requests += 1;
      await new Promise((resolve) => setTimeout(resolve, takesMs));
      return requests;
    };
    new QueryObserver(queries, { queryKey: [name], queryFn, staleTime: Infinity, retry: false }).subscribe(
      () => undefined,
    );
    return () => requests;
  }

  it("requests soon after a change what is shown, but for what is under way, which follows when it has arrived", async () => {
    const queries = new QueryClient();
    const refresh = createRefresh(queries);
    const quick = show(queries, "quick", 10);
    await vi.advanceTimersByTimeAsync(100);
    const slow = show(queries, "slow", 20_000);
    refresh.request();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([quick(), slow()]).toEqual([2, 1]);
    await vi.advanceTimersByTimeAsync(21_000);
    expect([quick(), slow()]).toEqual([2, 2]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([quick(), slow()]).toEqual([2, 2]);
    refresh.end();
  });

  it("makes about one request a second while there are always changes, and the last change is shown", async () => {
    const queries = new QueryClient();
    const refresh = createRefresh(queries);
    const counts = ["one", "other"].map((name) => show(queries, name, 10));
    let pages = 0;
    const list = new InfiniteQueryObserver(queries, {
      queryKey: ["list"],
      queryFn: () => Promise.resolve((pages += 1)),
      initialPageParam: 0,
      getNextPageParam: () => 1,
      staleTime: Infinity,
    });
    list.subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
    for (let more = 0; more < 2; more += 1) await list.fetchNextPage();
    const total = (): number => pages + counts.reduce((sum, count) => sum + count(), 0);
    const before = total();
    for (let passedMs = 0; passedMs < 60_000; passedMs += 100) {
      refresh.request();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(total() - before).toBeGreaterThan(50);
    expect(total() - before).toBeLessThanOrEqual(70);
    const during = total();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(total()).toBe(during + 5);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(total()).toBe(during + 5);
    refresh.end();
  });

  it("requests nothing after its end", async () => {
    const queries = new QueryClient();
    const refresh = createRefresh(queries);
    const count = show(queries, "one", 10);
    await vi.advanceTimersByTimeAsync(100);
    refresh.request();
    refresh.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(count()).toBe(1);
  });
});
