import type { ServerHttp2Stream } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient } from "@connectrpc/connect";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { createChannelTransport } from "../channels/channel.ts";
import type { Lookup } from "../channels/connections/resolver.ts";
import { toFrame } from "../serving/unary/message-frame.ts";
import { endHeaders, endStream, frame, headerBlock } from "./http2-frames.ts";
import { type Peer, startPeer } from "./peers.ts";

/** The headers of a response. */
export const grpc = { ":status": 200, "content-type": "application/grpc" };

/** Returns a function that connects to peers until the end of the test, when it closes both. */
export function useChannels() {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  return {
    connectTo(
      target: string,
      peers: readonly Pick<Peer, "close">[] = [],
      lookup?: Lookup,
    ): { client: Client<typeof ClassifierService>; close: () => void } {
      const transport = createChannelTransport({ target, ...(lookup === undefined ? {} : { lookup }) });
      closing.push(() => transport.close(), ...peers.map((peer) => () => peer.close()));
      return { client: createClient(ClassifierService, transport), close: () => transport.close() };
    },
    /** Has a function called at the end of the test. */
    closeLater: (close: () => unknown) => void closing.push(close),
  };
}

/** Answers a call with the name of a classifier. */
export function answer(stream: ServerHttp2Stream, name: string): void {
  stream.respond(grpc, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.resume().end(toFrame(Buffer.from([0x12, name.length, ...Buffer.from(name)])));
}

/** Starts a server that answers with its name. */
export const startNamed = (name: string, options: { port?: number; host?: string } = {}) =>
  startPeer((stream) => answer(stream, name), options);

/** Returns the frames of a response with an empty message. */
export function answerFrames(stream: number): Buffer {
  return Buffer.concat([
    frame("headers", endHeaders, stream, headerBlock({ ":status": "200", "content-type": "application/grpc" })),
    frame("data", 0, stream, Buffer.alloc(5)),
    frame("headers", endHeaders | endStream, stream, headerBlock({ "grpc-status": "0" })),
  ]);
}

/** Returns the first value that is wanted. */
export async function eventually<T>(get: () => T | Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await get();
    if (isWanted(value)) return value;
    await sleep(20);
  }
}
