import { create } from "@bufbuild/protobuf";
import { ProjectEventKind, ProjectEventSchema } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import type { ProjectEvent } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { mergeEvents } from "./merged-events.ts";

const beginning = create(ProjectEventSchema);
const event = create(ProjectEventSchema, { kind: ProjectEventKind.CLASSIFICATION });

async function* failAfter(messages: readonly ProjectEvent[], error: Error): AsyncGenerator<ProjectEvent, void> {
  yield* messages;
  await Promise.resolve();
  throw error;
}

async function* idleAfter(messages: readonly ProjectEvent[], signal: AbortSignal): AsyncGenerator<ProjectEvent, void> {
  yield* messages;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

/** Yields new events, and never ends. Each is noted, so that a test can tell whether it is still in memory. */
async function* yieldNoted(count: number, noted: WeakRef<ProjectEvent>[]): AsyncGenerator<ProjectEvent, void> {
  yield beginning;
  for (let index = 0; index < count; index++) {
    const each = create(ProjectEventSchema, { kind: ProjectEventKind.CLASSIFICATION, id: String(index) });
    noted.push(new WeakRef(each));
    yield each;
  }
  await new Promise(() => undefined);
}

describe("merged streams of events", () => {
  it("keep no events that were read in memory, however quiet one of them is", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const ending = new AbortController();
    const noted: WeakRef<ProjectEvent>[] = [];
    const merged = mergeEvents([yieldNoted(500, noted), idleAfter([beginning], ending.signal)], () => undefined);
    const ids = Array.from({ length: 501 }, (_, index) => (index === 0 ? "" : String(index - 1)));
    for (const id of ids) expect((await merged.next()).value?.id).toBe(id);
    await expect
      .poll(() => {
        collect();
        return noted.filter((each) => each.deref() !== undefined).length;
      })
      .toBeLessThan(10);
    ending.abort();
  });

  it("fail with the next read, and not before, if a stream fails while the reader is busy", async () => {
    const unhandled: string[] = [];
    const note = (error: unknown): void => void unhandled.push(String(error));
    process.on("unhandledRejection", note);
    try {
      const ending = new AbortController();
      const streams = [failAfter([beginning, event], new Error("lost")), idleAfter([beginning], ending.signal)];
      const merged = mergeEvents(streams, () => ending.abort());
      const read = [await merged.next(), await merged.next()];
      expect(read.map(({ value }) => value?.kind)).toEqual([beginning.kind, event.kind]);
      // The reader is busy with the event, for example because its client is slow. Meanwhile, the first stream fails.
      await sleep(10);
      expect(unhandled).toEqual([]);
      await expect(merged.next()).rejects.toThrow("lost");
      expect([ending.signal.aborted, await merged.next()]).toEqual([true, { done: true, value: undefined }]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});
