import { once } from "node:events";
import type { Message } from "@bufbuild/protobuf";
import { toProblem } from "@switchyard/rest";
import { getProblemFacts } from "@switchyard/rpc";
import { accessLostGraceMs } from "../access/access-watch.ts";
import type { Exchange } from "../http/exchange.ts";

/** The options of an event stream. */
export interface EventStreamOptions {
  /** The name of each event. */
  readonly name: string;
  /** Formats a message as JSON on one line. */
  readonly write: (message: Message) => string;
  /** The interval of keep-alive comments, which keep proxies from closing an idle connection. */
  readonly keepAliveIntervalMs: number;
  /** Aborted when the gateway closes. The stream then ends. */
  readonly draining: AbortSignal;
  /** Aborted when the caller loses access. The connection of a client that does not read is then closed. */
  readonly accessLost: AbortSignal | undefined;
}

/**
 * Sends a stream of messages as server-sent events. Rejects if it fails before the first message. A later failure is sent as an event
 * "error" with a problem as its data, and ends the stream. The stream also ends when the client disconnects or the gateway closes.
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
  const closeLater = (): void => {
    setTimeout(() => {
      if (!response.writableFinished) response.destroy();
    }, accessLostGraceMs);
  };
  accessLost?.addEventListener("abort", closeLater, { once: true });
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
    if (!ended.aborted) response.write(formatEvent("error", JSON.stringify(createProblem(exchange, error))));
  } finally {
    clearInterval(keepAlive);
    response.end();
    // The call is canceled without waiting for it, because it may be waiting for a long time itself.
    void iterator.return?.().catch(() => undefined);
  }
  return 200;
}

function formatEvent(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

function createProblem({ path, requestId }: Exchange, error: unknown) {
  return toProblem(getProblemFacts(error), { instance: path, requestId });
}
