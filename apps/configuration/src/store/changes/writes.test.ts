import { createOwnWrites, createSharedWrites } from "./writes.ts";

const { signal } = new AbortController();
/** Longer than any test, so that a test that waits for it fails. */
const never = 600_000;

describe("writes of this process", () => {
  it("wake every reader that waits", async () => {
    const writes = createOwnWrites();
    const readers = [1, 2].map(() => writes.after(writes.count, never, signal));
    writes.ended();
    await Promise.all(readers);
    expect(writes.count).toBe(1);
  });

  it("are noticed by a reader that began to read before them", async () => {
    const writes = createOwnWrites();
    const before = writes.count;
    writes.ended();
    await writes.after(before, never, signal);
  });

  it("are awaited no longer than the timeout, or until the signal is aborted", async () => {
    const writes = createOwnWrites();
    await writes.after(writes.count, 1, signal);
    const stopping = new AbortController();
    const waiting = writes.after(writes.count, never, stopping.signal);
    stopping.abort();
    await waiting;
  });
});

describe("writes of several processes", () => {
  it("are looked for after an interval", async () => {
    const writes = createSharedWrites(1);
    await writes.after(writes.count, never, signal);
  });
});
