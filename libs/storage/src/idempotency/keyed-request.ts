import type { DescMethod, Message } from "@bufbuild/protobuf";
import { createFingerprint } from "./fingerprint.ts";

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The input of the handler: the message, or the stream of messages. */
  readonly input: Message | AsyncIterable<Message>;
  /** The fingerprint; null while the request is still arriving. */
  readonly known: string | null;
  /** Returns the fingerprint after reading the rest of the request. */
  fingerprint(): Promise<string>;
}

/** Creates a request to a method. Each of its messages is added to its fingerprint. */
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
