import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { maxMessageBytes } from "../transfer-limits.ts";
import { createMessageDecoder, type DecodeMessage } from "../../decoding/message-decoder.ts";
import { problem } from "../../errors.ts";
import { toFrame } from "../../serving/unary/message-frame.ts";
import { tooLarge } from "./failure.ts";

/** Encodes a message as it is sent. Throws ResourceExhausted if it is larger than services accept. */
export function encodeFrame(type: DescMessage, message: Message): Buffer {
  const bytes = toBinary(type, message);
  if (bytes.length > maxMessageBytes) {
    throw tooLarge(`A request of ${bytes.length} bytes exceeds the limit of ${maxMessageBytes}.`).error;
  }
  return toFrame(bytes);
}

/** Creates a decoder of responses. It throws Internal if a response is not valid. */
export function createResponseDecoder(): DecodeMessage {
  const decode = createMessageDecoder();
  return (type, bytes) => {
    try {
      return decode(type, bytes);
    } catch (cause) {
      throw problem(Code.Internal, "INTERNAL", "The response is not valid protobuf of its type.", { cause });
    }
  };
}
