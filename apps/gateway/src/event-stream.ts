import { once } from "node:events";
import type { Message } from "@bufbuild/protobuf";
import { toProblem } from "@switchyard/rest";
import { getProblemFacts } from "@switchyard/rpc";
import type { Exchange } from "./exchange.ts";

/** How long a client that lost access has to read why. */
const closeGraceMs = 300;

/** How events are sent. */
export interface EventStreamOptions {
  /** The name of each event. */
  readonly name: string;
  /** A message as JSON of one line. */
  readonly write: (message: Message) => string;
  /** How often a comment is sent while nothing happens, so that nobody between takes the connection for a dead one. */
  readonly keepAliveIntervalMs: number;
  /** Aborted when the gateway closes; the stream then ends. */
  readonly draining: AbortSignal;
  /** Aborted when the caller loses access; a client that does not read is then cut off. */
  readonly accessLost: AbortSignal | undefined;
}

/**
 * Sends a stream of messages as server-sent events. A failure before the first of them rejects; a later one is sent as an event
 * "error" with a problem as its data, and the stream ends. It also ends with the client, and when the gateway closes.
 */
export async function sendEvents(
  exchange: Exchange,
  messages: AsyncIterable<Message>,
  { name, write, keepAliveIntervalMs, draining, accessLost }: EventStreamOptions,
): Promise<number> {
  const { response, signal } = exchange;
  const iterator = messages[Symbol.asyncIterator]();
  let next = await iterator.next();
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
  const ended = AbortSignal.any([signal, draining]);
  const cutOff = (): void => {
    setTimeout(() => {
      if (!response.writableFinished) response.destroy();
    }, closeGraceMs);
  };
  accessLost?.addEventListener("abort", cutOff, { once: true });
  const closing = new Promise<IteratorResult<Message>>((resolve) => {
    ended.addEventListener("abort", () => resolve({ done: true, value: undefined }), { once: true });
    if (ended.aborted) resolve({ done: true, value: undefined });
  });
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": keep-alive\n\n");
  }, keepAliveIntervalMs);
  try {
    while (next.done !== true) {
      if (!response.write(formatEvent(name, write(next.value)))) await once(response, "drain", { signal: ended });
      next = await Promise.race([iterator.next(), closing]);
    }
  } catch (error) {
    if (!ended.aborted) response.write(formatEvent("error", JSON.stringify(problemIn(exchange, error))));
  } finally {
    clearInterval(keepAlive);
    response.end();
    // The call behind is given up without waiting for it: it may be in the middle of a long wait.
    void iterator.return?.().catch(() => undefined);
  }
  return 200;
}

function formatEvent(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

function problemIn({ path, requestId }: Exchange, error: unknown) {
  return toProblem(getProblemFacts(error), { instance: path, requestId });
}
