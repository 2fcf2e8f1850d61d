import { ProjectEventKind } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import type { ProjectEvent } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import { getProblemFacts } from "@switchyard/rpc";
import { createProjectWatch } from "./project-watch.ts";
import type { ProjectWatchOptions, StoredEvent } from "./project-watch.ts";
import { createOwnWrites } from "./writes.ts";

/** Creates a watch of events in memory, whose reads are counted. */
function given(options: Partial<ProjectWatchOptions> = {}) {
  const stored: StoredEvent[] = [];
  const writes = createOwnWrites();
  const state = { reads: 0, failure: undefined as Error | undefined };
  const watch = createProjectWatch({
    timelines: [
      {
        kind: ProjectEventKind.JOB,
        async read(projectId, from, limit) {
          state.reads += 1;
          if (state.failure !== undefined) throw state.failure;
          const found = stored.filter(({ id, at }) => id.startsWith(projectId) && at >= from);
          return found.sort((left, right) => left.at.getTime() - right.at.getTime()).slice(0, limit);
        },
      },
    ],
    changes: writes,
    pauseMs: 5,
    ...options,
  });
  const ending = new AbortController();
  const write = (...events: [id: string, at?: number][]): void => {
    for (const [id, at = Date.now()] of events) stored.push({ id, status: "RUNNING", at: new Date(at) });
    writes.ended();
  };
  return { ...state, state, watch, writes, write, ending, open: (id = "one") => watch.watch(id, ending.signal) };
}

async function begin(stream: AsyncGenerator<ProjectEvent, void>) {
  expect((await stream.next()).value).toMatchObject({ kind: ProjectEventKind.UNSPECIFIED, id: "" });
  return { stream, next: async () => (await stream.next()).value?.id };
}

describe("a watch of projects", () => {
  it("reports what happens after it has begun, once, to all listeners of the project", async () => {
    const { open, write } = given();
    write(["one early"]);
    const [first, second, other] = [await begin(open()), await begin(open()), await begin(open("two"))];
    write(["one a"], ["two a"]);
    expect([await first.next(), await second.next(), await other.next()]).toEqual(["one a", "one a", "two a"]);
    // The clock of another process, or the time until a commit, makes an event appear after later ones.
    write(["one late", Date.now() - 5_000]);
    write(["one b"]);
    expect([await first.next(), await first.next()].sort()).toEqual(["one b", "one late"]);
  });

  it("reads all events of one moment, and of many pages", async () => {
    const { open, write } = given();
    const { next } = await begin(open());
    const at = Date.now();
    write(...Array.from({ length: 1_200 }, (_, index): [string, number] => [`one ${index}`, at + (index >> 1)]));
    const found = new Set<string | undefined>();
    for (let count = 0; count < 1_200; count += 1) found.add(await next());
    expect(found.size).toBe(1_200);
  });

  it("reads nothing while nothing is written or nobody listens", async () => {
    const { open, write, state, ending } = given();
    const { next, stream } = await begin(open());
    expect(state.reads).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(state.reads).toBe(1);
    write(["one a"]);
    await next();
    await stream.return();
    const { reads } = state;
    write(["one b"]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(state.reads).toBe(reads);
    ending.abort();
    expect(await open().next()).toEqual({ done: true, value: undefined });
  });

  it("fails a listener that reads too slowly, and no other", async () => {
    const { open, write } = given({ maxWaiting: 10 });
    const [slow, fast] = [await begin(open()), await begin(open())];
    for (let round = 0; round < 4; round += 1) {
      write(...Array.from({ length: 4 }, (_, index): [string] => [`one ${round} ${index}`]));
      for (let index = 0; index < 4; index += 1) expect(await fast.next()).toMatch(new RegExp(`^one ${round}`));
    }
    const error = await slow.next().catch((each: unknown) => getProblemFacts(each).reason);
    expect(error).toBe("EVENTS_MISSED");
  });

  it("fails all listeners of a project that cannot be read, and can be opened again", async () => {
    const { open, write, state } = given();
    const { next } = await begin(open());
    state.failure = new Error("no database");
    write(["one a"]);
    await expect(next()).rejects.toThrow("no database");
    await expect(open().next()).rejects.toThrow("no database");
    state.failure = undefined;
    const again = await begin(open());
    write(["one b"]);
    expect(await again.next()).toBe("one b");
  });

  it("ends its listeners when it is closed, or when their call ends", async () => {
    const { open, watch, ending } = given();
    const { next } = await begin(open());
    const ended = next();
    ending.abort();
    expect(await ended).toBeUndefined();
    const other = await begin(watch.watch("two", new AbortController().signal));
    watch.close();
    expect(await other.next()).toBeUndefined();
    expect((await watch.watch("two", new AbortController().signal).next()).done).toBe(true);
  });

  it("polls while somebody listens to a database without change streams", async () => {
    const tryNext = () => Promise.reject(new Error("unsupported"));
    const changes = () => ({ closed: false, tryNext, close: async () => undefined });
    const { open, write } = given({ changes, pollMs: 10 });
    const { next } = await begin(open());
    write(["one a"]);
    expect(await next()).toBe("one a");
  });
});
