import type { Message } from "@bufbuild/protobuf";
import type { ClientHttp2Stream } from "node:http2";

/** The request of a call, which may have to be sent again in a further attempt. */
export interface RequestStream {
  /** Encodes and sends all messages, as fast as they are taken. Resolves when all are sent, or the call has ended. */
  sendAll(input: AsyncIterable<Message>, encode: (message: Message) => Buffer): Promise<void>;
  /** Sends what was sent before, and what follows, on the stream of a new attempt. */
  sendOn(stream: ClientHttp2Stream): void;
  /** Forgets what was sent, because there are no more attempts. */
  forget(): void;
  /** Stops: the call has ended. */
  end(): void;
}

/** How many bytes are kept for a further attempt. */
const maxKeptBytes = 1024 * 1024;

/** Creates the request of a call. `commit` is called when it is too large to be sent again. */
export function createRequestStream(commit: () => void): RequestStream {
  let kept: Buffer[] | undefined = [];
  let keptBytes = 0;
  let stream: ClientHttp2Stream | undefined;
  let isFull = false;
  let isComplete = false;
  let hasEnded = false;
  let wake = (): void => undefined;

  function write(frame: Buffer): void {
    if (stream?.write(frame) !== false) return;
    isFull = true;
    const full = stream;
    full.once("drain", () => {
      if (stream !== full) return;
      isFull = false;
      wake();
    });
  }

  /** Waits until the stream takes more, or for that of the next attempt. What is written in between could be lost. */
  async function waitUntilWritable(): Promise<void> {
    while (!hasEnded && (stream === undefined || stream.closed || stream.destroyed || isFull)) {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    async sendAll(input, encode) {
      for await (const message of input) {
        await waitUntilWritable();
        if (hasEnded) return;
        const frame = encode(message);
        kept?.push(frame);
        keptBytes += frame.length;
        if (kept !== undefined && keptBytes > maxKeptBytes) {
          kept = undefined;
          commit();
        }
        write(frame);
      }
      isComplete = true;
      if (!hasEnded) stream?.end();
    },
    sendOn(next) {
      stream = next;
      isFull = false;
      for (const frame of kept ?? []) write(frame);
      if (isComplete) next.end();
      wake();
    },
    forget() {
      kept = undefined;
    },
    end() {
      hasEnded = true;
      kept = undefined;
      wake();
    },
  };
}
