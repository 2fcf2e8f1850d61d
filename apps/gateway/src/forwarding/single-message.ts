import { internal } from "@switchyard/rpc";

/** Creates the stream of a single message. */
export async function* toSingleMessageStream<T>(message: T): AsyncGenerator<T, void> {
  yield message;
}

/** Returns the message of a stream that must have exactly one. */
export async function getSingleMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  let only: { readonly message: T } | undefined;
  for await (const message of messages) {
    if (only !== undefined) throw internal(new Error("expected one message, received a second one"));
    only = { message };
  }
  if (only === undefined) throw internal(new Error("expected one message, received none"));
  return only.message;
}
