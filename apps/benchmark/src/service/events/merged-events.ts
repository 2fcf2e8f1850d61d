import { create } from "@bufbuild/protobuf";
import { ProjectEventKind, ProjectEventSchema } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import type { ProjectEvent } from "@switchyard/contracts/switchyard/benchmark/v1/events";

/**
 * Merges streams whose first message is empty. So is the first message of the merged stream, once all of them have begun. At most one
 * event of each waits for the reader. Ends, or fails, as soon as one of them does, and then ends the others.
 */
export async function* mergeEvents(
  streams: readonly AsyncIterable<ProjectEvent>[],
  end: () => void,
): AsyncGenerator<ProjectEvent, void> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  const next = (index: number) => {
    const read = (iterators[index] as AsyncIterator<ProjectEvent>).next().then((step) => ({ index, step }));
    // It may fail before the reader asks for more, who gets the error then. Unobserved until then, it would end the process.
    read.catch(() => undefined);
    return read;
  };
  const pending = new Map(iterators.map((_, index) => [index, next(index)]));
  let beginning = iterators.length;
  try {
    for (;;) {
      const { index, step } = await Promise.race(pending.values());
      if (step.done === true) return;
      pending.set(index, next(index));
      const { kind } = step.value;
      if (kind !== ProjectEventKind.UNSPECIFIED) yield step.value;
      else if ((beginning -= 1) === 0) yield create(ProjectEventSchema);
    }
  } finally {
    end();
    for (const iterator of iterators) iterator.return?.().catch(() => undefined);
  }
}
