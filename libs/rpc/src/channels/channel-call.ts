import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import type { Client, ClientDuplexStream, StatusObject } from "@grpc/grpc-js";
import { errorFromStatus } from "./channel-status.ts";
import { asBuffer } from "./channel-unary.ts";
import { deadlineIn } from "../deadline-header.ts";
import { headersFrom, metadataFrom } from "./metadata.ts";
import { abortReason } from "../streams.ts";
import type { IncomingResponse, OutgoingCall } from "./transport.ts";

/** Makes a call of any kind over a grpc-js channel. Resolves when the response headers, or the status, have arrived. */
export async function carryOverChannel(client: Client, call: OutgoingCall): Promise<IncomingResponse> {
  if (call.signal.aborted) throw abortReason(call.signal);
  const timeoutMs = deadlineIn(call.header);
  const stream = client.makeBidiStreamRequest<Message, Message>(
    new URL(call.url).pathname,
    (message) => asBuffer(toBinary(call.method.input, message)),
    // A plain view, so that `bytes` fields are Uint8Arrays and not Buffers.
    (bytes) => fromBinary(call.method.output, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    metadataFrom(call.header),
    timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
  );

  const trailer = new Headers();
  let sendingFailed: { reason: unknown } | undefined;
  const cancel = (): void => stream.cancel();
  call.signal.addEventListener("abort", cancel, { once: true });
  const finished = new Promise<StatusObject>((resolve) => {
    stream.once("status", (status) => {
      call.signal.removeEventListener("abort", cancel);
      headersFrom(status.metadata).forEach((value, name) => trailer.append(name, value));
      resolve(status);
    });
  });
  const header = new Promise<Headers>((resolve) => {
    stream.once("metadata", (metadata) => resolve(headersFrom(metadata)));
    void finished.then(() => resolve(new Headers()));
  });
  // The status contains the error. Without a listener, the event would end the process.
  stream.on("error", () => undefined);
  void send(stream, call.input, finished).catch((reason: unknown) => {
    sendingFailed = { reason };
    stream.cancel();
  });

  async function* output(): AsyncGenerator<Message, void> {
    try {
      yield* stream as AsyncIterable<Message>;
    } catch {
      // The status contains the error.
    }
    const error = errorFromStatus(await finished);
    if (call.signal.aborted) throw abortReason(call.signal);
    if (sendingFailed !== undefined) throw sendingFailed.reason;
    if (error !== undefined) throw error;
  }
  return { header: await header, trailer, output: output() };
}

async function send(
  stream: ClientDuplexStream<Message, Message>,
  input: AsyncIterable<Message>,
  finished: Promise<unknown>,
): Promise<void> {
  let open = true;
  void finished.then(() => (open = false));
  for await (const message of input) {
    if (!open) return;
    if (!stream.write(message)) await Promise.race([waitForDrain(stream), finished]);
  }
  if (open) stream.end();
}

function waitForDrain(stream: ClientDuplexStream<Message, Message>): Promise<void> {
  return new Promise((resolve) => stream.once("drain", resolve));
}
