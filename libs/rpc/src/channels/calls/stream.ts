import type { Message } from "@bufbuild/protobuf";
import type { Connections } from "../connections/connections.ts";
import type { DecodeMessage } from "../../decoding/message-decoder.ts";
import { canceled } from "../../errors.ts";
import { headersFromNode } from "../../serving/unary/node-headers.ts";
import type { IncomingResponse, OutgoingCall } from "../transport.ts";
import { startCall } from "./attempts.ts";
import { toTrailer } from "./failure.ts";
import { encodeFrame } from "./messages.ts";
import { createRequestStream } from "./request-stream.ts";
import { createResponseQueue } from "./response-queue.ts";

/** Makes a call of any kind over the connections of a channel. Resolves when the response headers, or the status, have arrived. */
export async function carryStream(
  connections: Connections,
  decode: DecodeMessage,
  call: OutgoingCall,
): Promise<IncomingResponse> {
  const { input, output } = call.method;
  const trailer = new Headers();
  const responses = createResponseQueue();
  const requests = createRequestStream(() => started.commit());
  let setHeader = (_header: Headers): void => undefined;
  const header = new Promise<Headers>((resolve) => (setHeader = resolve));
  const started = startCall(connections, call, {
    send(stream) {
      responses.readFrom(stream);
      requests.sendOn(stream);
    },
    header(received) {
      requests.forget();
      setHeader(headersFromNode(received));
    },
    message: (message) => responses.add(message),
    end(received, error) {
      toTrailer(received).forEach((value, name) => trailer.append(name, value));
      requests.end();
      // A caller that has given up gets no more messages.
      responses.end(error, call.signal.aborted);
      setHeader(new Headers());
    },
  });
  const sent = requests.sendAll(call.input, (message) => encodeFrame(input, message));
  sent.catch((error: Error) => started.cancel(error));

  async function* messages(): AsyncGenerator<Message, void> {
    try {
      for (let bytes = await responses.next(); bytes !== undefined; bytes = await responses.next()) {
        yield decode(output, bytes);
      }
    } finally {
      // The caller reads no further.
      started.cancel(canceled());
    }
  }
  return { header: await header, trailer, output: messages() };
}
