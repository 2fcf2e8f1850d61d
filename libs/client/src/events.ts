import { startAttempt, waitToRetry } from "./attempt.ts";
import type { Call } from "./call.ts";
import { ApiError, createApiError, type ConnectionError, type Problem } from "./errors.ts";
import type { HttpRequest } from "./request.ts";
import type { SendOptions } from "./send.ts";

/** The events of a call, until the server ends the stream. */
export type Events<Event> = AsyncGenerator<Event, void, void>;

/**
 * Yields the data of the server-sent events of a call. If the connection breaks, or nothing arrives within the timeout, it reconnects; the
 * server then begins with the current state. An event "error" is thrown as the `ApiError` that it contains.
 */
export async function* receiveEvents<Event>(call: Call, request: HttpRequest, options: SendOptions): Events<Event> {
  for (let attempt = 0; ; attempt += 1) {
    const attempted = startAttempt(request.url, options.timeoutMs, options.signal);
    let failure: ApiError | ConnectionError;
    try {
      const headers = { ...request.headers, accept: "text/event-stream" };
      const response = await options.fetch(request.url, { headers, redirect: "manual", signal: attempted.signal });
      if (response.ok) {
        for await (const { name, data } of eventsIn(response, attempted)) {
          if (name === "error") {
            const problem = JSON.parse(data) as Problem;
            throw createApiError(problem.status, response.headers, data);
          }
          attempt = 0;
          yield JSON.parse(data) as Event;
        }
        return;
      }
      failure = createApiError(response.status, response.headers, await response.text());
    } catch (error) {
      if (error instanceof ApiError) throw error;
      failure = attempted.failure(error);
    } finally {
      attempted.end();
    }
    await waitToRetry(call, failure, attempt, { ...options, hasKey: false });
  }
}

/** Yields the events of a response. Only the time of waiting for events counts for the timeout. */
async function* eventsIn(
  response: Response,
  attempt: { restart(): void; pause(): void },
): AsyncGenerator<{ name: string; data: string }, void, void> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    attempt.restart();
    const step = await reader?.read();
    attempt.pause();
    if (step === undefined || step.done) return;
    text += decoder.decode(step.value, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** Parses a block of lines as an event; undefined for one without data, such as a comment. */
function parseEvent(block: string): { name: string; data: string } | undefined {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [field = ""] = line.split(":", 1);
    const value = line.slice(field.length + 1).replace(/^ /, "");
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { name, data: data.join("\n") };
}
