import { beginAttempt, waitToRetry } from "./attempt.ts";
import type { Call } from "./call.ts";
import { ApiError, createApiError, type ConnectionError, type Problem } from "./errors.ts";
import type { HttpRequest } from "./request.ts";
import type { SendOptions } from "./send.ts";

/** What a call that answers with events gives, one after the other, until the server ends them. */
export type Events<Event> = AsyncGenerator<Event, void, void>;

/**
 * The server-sent events of a call, by their data. A broken connection, or one on which nothing comes within the timeout, is made
 * anew: the server then begins with how things are. An event "error" is thrown as the `ApiError` that it holds.
 */
export async function* receiveEvents<Event>(call: Call, request: HttpRequest, options: SendOptions): Events<Event> {
  for (let attempt = 0; ; attempt += 1) {
    const attempted = beginAttempt(request.url, options.timeoutMs, options.signal);
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

/** The events in an answer; time counts only while they are waited for. */
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

/** The event that a block of lines is; undefined for one without data, as comments are. */
function parseEvent(block: string): { name: string; data: string } | undefined {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ""] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { name, data: data.join("\n") };
}
