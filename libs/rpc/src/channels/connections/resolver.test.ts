import { createResolver } from "./resolver.ts";

describe("createResolver", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function create(results: readonly (readonly string[] | Error)[]) {
    const events: unknown[] = [];
    let lookups = 0;
    const lookup = (): Promise<readonly string[]> => {
      const result = results[lookups++] ?? [];
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result as string[]);
    };
    const resolver = createResolver({ name: "service", port: 5 }, lookup, {
      found: (addresses) => void events.push(addresses.map(({ host, port }) => `${host} ${port}`)),
      failed: ({ message }) => void events.push(message),
    });
    return { resolver, events, countLookups: () => lookups };
  }

  it("resolves at once, and then at most once in five seconds", async () => {
    const { resolver, events, countLookups } = create([["10.0.0.1", "10.0.0.2"], ["10.0.0.3"]]);
    resolver.resolve();
    resolver.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual([["10.0.0.1 5", "10.0.0.2 5"]]);
    resolver.resolve();
    resolver.resolve();
    await vi.advanceTimersByTimeAsync(4_900);
    expect(countLookups()).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(events.slice(1)).toEqual([["10.0.0.3 5"]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(countLookups()).toBe(2);
  });

  it("can be asked again shortly after a failure, even if a name has no addresses", async () => {
    const { resolver, events } = create([new Error("none"), [], ["10.0.0.1"]]);
    for (let round = 0; round < 3; round++) {
      resolver.resolve();
      await vi.advanceTimersByTimeAsync(700);
    }
    expect(events).toEqual(["none", "The name has no addresses.", ["10.0.0.1 5"]]);
  });

  it("says nothing after it was stopped", async () => {
    const { resolver, events } = create([["10.0.0.1"]]);
    resolver.resolve();
    resolver.stop();
    resolver.resolve();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(events).toEqual([]);
  });

  it("finds a list of addresses once", () => {
    const found: unknown[] = [];
    const target = { addresses: [{ host: "10.0.0.1", port: 1 }] };
    const resolver = createResolver(target, () => Promise.reject(new Error("not called")), {
      found: (addresses) => void found.push(addresses),
      failed: () => undefined,
    });
    resolver.resolve();
    resolver.resolve();
    expect(found).toEqual([target.addresses]);
  });
});
