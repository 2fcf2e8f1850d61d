import type { DescMethod, Message } from "@bufbuild/protobuf";
import { createFingerprint } from "./fingerprint.ts";

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** What its handler gets: the message, or the stream of messages. */
  readonly input: Message | AsyncIterable<Message>;
  /** Its fingerprint; null while it is still arriving. */
  readonly known: string | null;
  /** Its fingerprint, once what has not been read of it yet has been read too. */
  fingerprint(): Promise<string>;
}

/** A request to a method, of which every message passes through its fingerprint. */
export function toRequest(method: DescMethod, input: Message | AsyncIterable<Message>): KeyedRequest {
  const print = createFingerprint(method);
  if (!(Symbol.asyncIterator in input)) {
    print.add(input);
    const known = print.digest();
    return { input, known, fingerprint: () => Promise.resolve(known) };
  }
  const source = input[Symbol.asyncIterator]();
  let digest: string | undefined;
  const iterator: AsyncIterator<Message> = {
    async next() {
      const result = await source.next();
      if (result.done !== true) print.add(result.value);
      else digest ??= print.digest();
      return result;
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
  return {
    input: { [Symbol.asyncIterator]: () => iterator },
    known: null,
    async fingerprint() {
      while (digest === undefined) await iterator.next();
      return digest;
    },
  };
}
