import type { ClientHttp2Stream } from "node:http2";

/** The messages of a response that have arrived but have not been read. */
export interface ResponseQueue {
  /** Sets the stream from which the messages come. It is paused while there are messages that have not been read. */
  readFrom(stream: ClientHttp2Stream): void;
  add(message: Uint8Array): void;
  /** Ends the queue, and discards its messages if `isAbandoned`. */
  end(error: Error | undefined, isAbandoned: boolean): void;
  /** Returns the next message, or undefined at the end. Throws the error with which the queue ended. */
  next(): Promise<Uint8Array | undefined>;
}

/** Creates a queue for one reader. */
export function createResponseQueue(): ResponseQueue {
  let source: ClientHttp2Stream | undefined;
  let queue: Uint8Array[] = [];
  let ended: { error: Error | undefined } | undefined;
  let wake = (): void => undefined;

  return {
    readFrom(stream) {
      source = stream;
    },
    add(message) {
      queue.push(message);
      source?.pause();
      wake();
    },
    end(error, isAbandoned) {
      ended ??= { error };
      if (isAbandoned) queue = [];
      wake();
    },
    async next() {
      while (queue.length === 0 && ended === undefined) {
        source?.resume();
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const message = queue.shift();
      if (message === undefined && ended?.error !== undefined) throw ended.error;
      return message;
    },
  };
}
