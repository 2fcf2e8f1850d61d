import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { type ChannelInterface, Metadata, status as Status } from "@grpc/grpc-js";
import { Code, type UnaryResponse } from "@connectrpc/connect";
import { createMethodUrl } from "@connectrpc/connect/protocol";
import type { Fail } from "./circuit.ts";
import { deadlineIn } from "../deadline-header.ts";
import { problem } from "../errors.ts";
import { abortReason } from "../streams.ts";
import { errorFromStatus } from "./channel-status.ts";
import { headersFrom, metadataFrom } from "./metadata.ts";
import type { OutgoingUnaryCall } from "./transport.ts";

/**
 * Makes a unary call over a grpc-js channel, without the streams and interceptors of a grpc-js client. `guard` is called with a function
 * that ends the call with an error, and returns one that is called when the response begins.
 */
export function carryUnary(
  channel: ChannelInterface,
  { method, header, signal, message }: OutgoingUnaryCall,
  guard: (fail: Fail) => () => void,
): Promise<UnaryResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw abortReason(signal);
    const request = asBuffer(toBinary(method.input, message));
    const timeoutMs = deadlineIn(header);
    const deadline = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
    let failure: Error | undefined;
    const release = guard((error) => {
      failure = error;
      cancel();
    });
    const call = channel.createCall(createMethodUrl("/", method), deadline, undefined, null, undefined);
    const cancel = (): void => call.cancelWithStatus(Status.CANCELLED, "Cancelled on client");
    signal.addEventListener("abort", cancel, { once: true });

    let responseHeader = new Metadata();
    let response: Message | undefined;
    function read(bytes: Uint8Array): void {
      try {
        if (response === undefined) {
          // A plain view, so that `bytes` fields are Uint8Arrays and not Buffers.
          response = fromBinary(method.output, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
          call.startRead();
          return;
        }
        failure = problem(Code.Internal, "PROTOCOL_ERROR", "A call received more than one response.");
      } catch (cause) {
        failure = problem(Code.Internal, "INTERNAL", "The response is not valid protobuf of its type.", { cause });
      }
      cancel();
    }
    call.start(metadataFrom(header), {
      onReceiveMetadata(metadata) {
        release();
        responseHeader = metadata;
      },
      onReceiveMessage: read,
      onReceiveStatus(status) {
        release();
        signal.removeEventListener("abort", cancel);
        failure = signal.aborted ? abortReason(signal) : (failure ?? errorFromStatus(status));
        if (failure !== undefined) reject(failure);
        else if (response === undefined) {
          reject(problem(Code.Internal, "PROTOCOL_ERROR", "A call succeeded without a response."));
        } else {
          const [header, trailer] = [headersFrom(responseHeader), headersFrom(status.metadata)];
          resolve({ stream: false, service: method.parent, method, header, trailer, message: response });
        }
      },
    });
    call.sendMessageWithContext({}, request);
    call.halfClose();
    call.startRead();
  });
}

/** Returns the bytes as a Buffer, without which grpc-js fails with "Failed to write message". */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
