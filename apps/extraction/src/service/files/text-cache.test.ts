import { canceled, unavailable } from "@switchyard/rpc";
import type { LaterSource, ReadResult } from "../../reading/index.ts";
import { createDocumentTextCache } from "./text-cache.ts";

/** Creates a cache without stored texts, over a reader whose documents are read when `finish` is called. */
function setUp(now = () => 0, put = () => Promise.resolve()) {
  const signals: AbortSignal[] = [];
  const { promise: finished, resolve: finish } = Promise.withResolvers<ReadResult>();
  const cache = createDocumentTextCache({
    texts: { find: () => Promise.resolve(null), put } as never,
    getContent: async function* () {
      yield new Uint8Array(1);
    },
    reader: {
      read(_document: LaterSource, signal?: AbortSignal) {
        signals.push(signal as AbortSignal);
        return finished;
      },
    },
    readerVersion: "1",
    now,
    unreadableRetentionMs: 0,
  });
  const text = { contentType: "text/plain", text: new Uint8Array(), warnings: [], omissions: [] };
  return { cache, signals, finish: () => finish(text) };
}

const file = { _id: "fil_1", size: 1, sha256: "1", filename: "a", declaredContentType: "", readingHint: "" };
const untilStarted = () => new Promise((resolve) => setImmediate(resolve));

describe("the cache of texts", () => {
  it("stops reading a document when the last call that waits for it is canceled, and reads it again for the next", async () => {
    const { cache, signals, finish } = setUp();
    const clients = [new AbortController(), new AbortController()];
    const calls = clients.map(({ signal }) => cache.get(file, signal).catch((error: unknown) => error));
    await untilStarted();
    clients[0]?.abort(canceled());
    expect(await calls[0]).toMatchObject(canceled());
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    clients[1]?.abort(unavailable("OVERLOADED", "late"));
    await calls[1];
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);

    const next = cache.get(file, new AbortController().signal);
    await untilStarted();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    finish();
    expect((await next).contentType).toBe("text/plain");
  });

  it("returns a text that cannot be stored, and reads it again for the next call", async () => {
    const { cache, signals, finish } = setUp(undefined, () => Promise.reject(unavailable("STORAGE_FULL", "full")));
    finish();
    const scanned = { ...file, declaredContentType: "application/pdf", filename: "a.pdf" };
    for (const reads of [1, 2]) {
      expect((await cache.get(scanned, new AbortController().signal)).contentType).toBe("text/plain");
      expect(signals).toHaveLength(reads);
    }
  });

  it("keeps a text in memory for ten seconds", async () => {
    let time = Date.now();
    const { cache, signals, finish } = setUp(() => time);
    finish();
    const { signal } = new AbortController();
    for (const [passed, reads] of [
      [0, 1],
      [9_000, 1],
      [2_000, 2],
    ] as const) {
      time += passed;
      await cache.get(file, signal);
      expect(signals).toHaveLength(reads);
    }
  });

  it("keeps 1,000 texts in memory at most, the most recent ones", async () => {
    const { cache, signals, finish } = setUp();
    finish();
    const { signal } = new AbortController();
    const get = (number: number) => cache.get({ ...file, sha256: String(number) }, signal);
    for (let number = 0; number <= 1_000; number += 1) await get(number);
    expect(signals).toHaveLength(1_001);
    await get(1);
    expect(signals).toHaveLength(1_001);
    await get(0);
    expect(signals).toHaveLength(1_002);
  });
});
