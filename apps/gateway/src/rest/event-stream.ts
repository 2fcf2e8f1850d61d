import { once } from "node:events";
import type { Message } from "@bufbuild/protobuf";
import { toProblem } from "@switchyard/rest";
import { getProblemFacts, unlessAborted } from "@switchyard/rpc";
import { accessLostGraceMs } from "../access/access-watch.ts";
import type { Exchange } from "../http/exchange.ts";
import { writeHead } from "../http/responses.ts";
import type { EventType } from "./acceptable-type.ts";

/** The options of an event stream. */
export interface EventStreamOptions {
  /** The name of each event. */
  readonly name: string;
  /** The media type of the stream. */
  readonly type: EventType;
  /** Formats a message as JSON on one line. */
  readonly write: (message: Message) => string;
  /** Whether a first message only says that the stream has begun. It is sent as a keep-alive comment. */
  readonly isBeginning: (message: Message) => boolean;
  /** The interval of keep-alive comments, which keep proxies from closing an idle connection. */
  readonly keepAliveIntervalMs: number;
  /** Aborted when the gateway closes. The stream then ends. */
  readonly draining: AbortSignal;
  /** Aborted when the caller loses access. The connection of a client that does not read is then closed. */
  readonly accessLost: AbortSignal | undefined;
}

/** How a media type represents a stream of messages. */
interface EventFormat {
  readonly contentType: string;
  message(name: string, json: string): string;
  /** A failure after the first message. It ends the stream. */
  problem(json: string): string;
  readonly keepAlive: string;
}

const formats: Readonly<Record<EventType, EventFormat>> = {
  "text/event-stream": {
    contentType: "text/event-stream; charset=utf-8",
    message: (name, json) => `event: ${name}\ndata: ${json}\n\n`,
    problem: (json) => `event: error\ndata: ${json}\n\n`,
    keepAlive: ": keep-alive\n\n",
  },
  "application/x-ndjson": {
    contentType: "application/x-ndjson",
    message: (_name, json) => `${json}\n`,
    problem: (json) => `{"problem":${json}}\n`,
    keepAlive: "\n",
  },
};

/**
 * Sends a stream of messages as server-sent events, or as JSON lines. Rejects if it fails. A failure after the first message is also sent
 * as an event "error" with a problem as its data, or as a line with the only member "problem", and ends the stream. Comments or empty lines
 * keep the connection open, and begin a stream whose first event may come much later. The stream also ends when the client disconnects or
 * the gateway closes; for HEAD, right after the headers.
 */
export async function sendEvents(
  exchange: Exchange,
  messages: AsyncIterable<Message>,
  { name, type, write, isBeginning, keepAliveIntervalMs, draining, accessLost }: EventStreamOptions,
): Promise<number> {
  const { request, response, signal } = exchange;
  const iterator = messages[Symbol.asyncIterator]();
  let next = await iterator.next();
  const format = formats[type];
  writeHead(exchange, 200, { "content-type": format.contentType, "x-accel-buffering": "no" });
  if (request.method === "HEAD") {
    response.end();
    void iterator.return?.().catch(() => undefined);
    return 200;
  }
  const ended = AbortSignal.any([signal, draining]);
  const closeLater = (): void => {
    setTimeout(() => {
      if (!response.writableFinished) response.destroy();
    }, accessLostGraceMs);
  };
  accessLost?.addEventListener("abort", closeLater, { once: true });
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(format.keepAlive);
  }, keepAliveIntervalMs);
  try {
    if (next.done !== true && isBeginning(next.value)) {
      response.write(format.keepAlive);
      next = await unlessAborted(iterator.next(), ended);
    }
    while (next.done !== true) {
      if (!response.write(format.message(name, write(next.value)))) await once(response, "drain", { signal: ended });
      next = await unlessAborted(iterator.next(), ended);
    }
  } catch (error) {
    if (ended.aborted) return 200;
    response.write(format.problem(JSON.stringify(createProblem(exchange, error))));
    throw error;
  } finally {
    clearInterval(keepAlive);
    response.end();
    // The call is canceled without waiting for it, because it may be waiting for a long time itself.
    void iterator.return?.().catch(() => undefined);
  }
  return 200;
}

function createProblem({ path, requestId }: Exchange, error: unknown) {
  return toProblem(getProblemFacts(error), { instance: path, requestId });
}
