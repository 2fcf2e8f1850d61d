import type { ChangeStream } from "./stream-watch.ts";
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
  /** Creates a change stream, and a function that gives it its next response. */
  function createStream() {
    const waiting: ((change: unknown) => void)[] = [];
    let isClosed = false;
    const stream: ChangeStream = {
      closed: false,
      tryNext: () =>
        new Promise((resolve, reject) => {
          if (isClosed) reject(new Error("closed"));
          else waiting.push((change) => (change instanceof Error ? reject(change) : resolve(change)));
        }),
      async close() {
        isClosed = true;
        waiting.shift()?.(new Error("closed"));
      },
    };
    const respond = async (change: unknown): Promise<void> => {
      waiting.shift()?.(change);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { stream, respond };
  }

  it("are looked for after an interval without a change stream", async () => {
    const writes = createSharedWrites(createUnsupported, { pollMs: 1, retryMs: never });
    await writes.after(writes.count, never, signal);
    writes.start();
    await writes.after(writes.count, never, signal);
    writes.stop();
  });

  it("are awaited while there is a change stream", async () => {
    const { stream, respond } = createStream();
    const writes = createSharedWrites(() => stream, { pollMs: never, retryMs: never });
    const readBefore = writes.count;
    writes.start();
    await respond(null);
    // What was read before the stream was open is read again.
    expect(await writes.after(readBefore, never, signal)).toBe(true);
    expect(await writes.after(writes.count, 1, signal)).toBe(false);
    await respond(null);
    const reader = writes.after(writes.count, never, signal);
    await respond({});
    expect(await reader).toBe(true);
    const interrupted = writes.after(writes.count, never, signal);
    await respond(new Error("the connection was closed"));
    expect(await interrupted).toBe(true);
    writes.stop();
  });

  it("are no longer awaited after a stop, which does not wait for the database", async () => {
    const { stream, respond } = createStream();
    const writes = createSharedWrites(() => ({ ...stream, close: async () => undefined }), {
      pollMs: never,
      retryMs: never,
    });
    writes.start();
    await respond(null);
    const reader = writes.after(writes.count, never, signal);
    writes.stop();
    expect(await reader).toBe(true);
    const { count } = writes;
    await respond({});
    expect(writes.count).toBe(count);
  });

  it("are watched again if the stream cannot be opened at all", async () => {
    const { stream, respond } = createStream();
    let attempts = 0;
    const open = (): ChangeStream => {
      attempts += 1;
      if (attempts === 1) throw new Error("the connection is not open");
      return stream;
    };
    const writes = createSharedWrites(open, { pollMs: 1, retryMs: 1 });
    writes.start();
    while (attempts < 2) await writes.after(writes.count, never, signal);
    await respond(null);
    expect(await writes.after(writes.count, 1, signal)).toBe(false);
    writes.stop();
  });

  it("are watched again after a failure", async () => {
    const streams = [createStream(), createStream()];
    let opened = 0;
    const writes = createSharedWrites(() => streams[opened++]?.stream ?? createUnsupported(), {
      pollMs: 1,
      retryMs: 1,
    });
    writes.start();
    await streams[0]?.respond(new Error("the connection was closed"));
    while (opened < 2) await writes.after(writes.count, never, signal);
    await streams[1]?.respond(null);
    expect(await writes.after(writes.count, 1, signal)).toBe(false);
    writes.stop();
    expect(opened).toBe(2);
  });
});

/** Opens a change stream of a database that has none. */
function createUnsupported(): ChangeStream {
  return { closed: false, tryNext: () => Promise.reject(new Error("unsupported")), close: async () => undefined };
}
