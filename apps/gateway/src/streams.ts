import { internal } from "@switchyard/rpc";

/** The one message of a stream that must have exactly one. */
export async function onlyMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  let only: { readonly message: T } | undefined;
  for await (const message of messages) {
    if (only !== undefined) throw internal(new Error("a second message where one was promised"));
    only = { message };
  }
  if (only === undefined) throw internal(new Error("no message where one was promised"));
  return only.message;
}
