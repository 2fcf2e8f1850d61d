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
  // A race of the pending reads would keep every event in memory until the quietest stream has one.
  const arrived: (() => Read)[] = [];
  let wake = (): void => undefined;
  const read = (index: number): void => {
    const settle = (result: () => Read): void => {
      arrived.push(result);
      wake();
    };
    (iterators[index] as AsyncIterator<ProjectEvent>).next().then(
      (step) => settle(() => ({ index, step })),
      // It may fail before the reader asks for more, who gets the error then.
      (error: Error) =>
        settle(() => {
          throw error;
        }),
    );
  };
  for (const index of iterators.keys()) read(index);
  let beginning = iterators.length;
  try {
    for (;;) {
      let next = arrived.shift();
      while (next === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
        next = arrived.shift();
      }
      const { index, step } = next();
      if (step.done === true) return;
      read(index);
      const { kind } = step.value;
      if (kind !== ProjectEventKind.UNSPECIFIED) yield step.value;
      else if ((beginning -= 1) === 0) yield create(ProjectEventSchema);
    }
  } finally {
    end();
    for (const iterator of iterators) iterator.return?.().catch(() => undefined);
  }
}

/** What was read from one of the streams. */
interface Read {
  readonly index: number;
  readonly step: IteratorResult<ProjectEvent>;
}
