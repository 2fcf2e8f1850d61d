import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import type { UnaryResponse } from "@connectrpc/connect";
import type { IncomingHttpHeaders } from "node:http2";
import type { Connections } from "../connections/connections.ts";
import { headersFromNode } from "../../serving/unary/node-headers.ts";
import type { OutgoingUnaryCall } from "../transport.ts";
import { startCall } from "./attempts.ts";
import { toTrailer, violation } from "./failure.ts";
import type { DecodeMessage } from "../../decoding/message-decoder.ts";
import { addReceived } from "../../serving/wire-status.ts";
import { encodeFrame } from "./messages.ts";

/** Makes a unary call over the connections of a channel. */
export function carryUnary(
  connections: Connections,
  decode: DecodeMessage,
  call: OutgoingUnaryCall,
): Promise<UnaryResponse> {
  return new Promise((resolve, reject) => {
    const { method } = call;
    const frame = encodeFrame(method.input, call.message);
    let header: IncomingHttpHeaders = {};
    let response: Uint8Array | undefined;
    async function finish(trailer: IncomingHttpHeaders): Promise<UnaryResponse> {
      if (response === undefined) throw violation("A call succeeded without a response.").error;
      return toResponse(method, decode(method.output, response), header, trailer);
    }
    const started = startCall(connections, call, {
      send: (stream) => void stream.end(frame),
      header: (received) => (header = received),
      message(bytes) {
        if (response === undefined) response = bytes;
        else started.cancel(violation("A call received more than one response.").error);
      },
      end(trailer, error) {
        if (error === undefined) {
          resolve(finish(trailer));
          return;
        }
        addReceived(error, headersFromNode(header));
        reject(error);
      },
    });
  });
}

/** Creates a response whose headers and trailers are converted when they are read, which they rarely are. */
function toResponse(
  method: DescMethodUnary,
  message: Message,
  header: IncomingHttpHeaders,
  trailer: IncomingHttpHeaders,
): UnaryResponse {
  let headers: Headers | undefined;
  let trailers: Headers | undefined;
  return {
    stream: false,
    service: method.parent,
    method,
    message,
    get header() {
      return (headers ??= headersFromNode(header));
    },
    get trailer() {
      return (trailers ??= toTrailer(trailer));
    },
  };
}
