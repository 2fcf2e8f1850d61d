import type { Call } from "./call.ts";
import { ApiError, apiErrorOf, ConnectionError, TimeoutError } from "./errors.ts";
import type { HttpRequest } from "./request.ts";
import { mayRetry, retryDelayMs } from "./retry.ts";

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The bytes as UTF-8. */
  text(): string;
}

/** How a request is sent. */
export interface SendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Of one attempt. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
  readonly idempotencyKey: string | undefined;
}

/**
 * Sends a request, again where `mayRetry` allows, and resolves with its answer of success. A POST that may be retried goes out
 * with the same idempotency key each time.
 */
export async function send(call: Call, request: HttpRequest, options: SendOptions): Promise<Answer> {
  const key =
    call.method === "POST" ? (options.idempotencyKey ?? (options.retries > 0 ? newKey() : undefined)) : undefined;
  const headers = key === undefined ? request.headers : { ...request.headers, "idempotency-key": key };
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await sendOnce({ ...request, headers }, options);
    if (!(outcome instanceof Error)) return outcome;
    const answered = outcome instanceof ApiError;
    const delayMs =
      attempt < options.retries && mayRetry(call, answered ? outcome : "no answer", key !== undefined)
        ? retryDelayMs(attempt, answered ? outcome.headers.get("retry-after") : null, Math.random(), Date.now())
        : undefined;
    if (delayMs === undefined) throw outcome;
    await wait(delayMs, options.signal);
  }
}

/** The JSON of an answer. @throws ApiError when it is none */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text());
  } catch {
    const problem = apiErrorOf(answer.status, answer.headers, "").problem;
    const detail = "The answer is not JSON: this is not the address of a Switchyard server.";
    throw new ApiError({ ...problem, code: "NOT_JSON", detail }, answer.headers);
  }
}

/** One attempt: the answer, or the error that may be retried. Throws the reason of an abort. */
async function sendOnce(request: HttpRequest, options: SendOptions): Promise<Answer | ApiError | ConnectionError> {
  const { fetch, timeoutMs, signal } = options;
  signal?.throwIfAborted();
  const ending = new AbortController();
  const abort = (): void => ending.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => ending.abort(timedOut), timeoutMs);
  try {
    const { method, headers } = request;
    const body = request.body === undefined ? {} : { body: request.body };
    const response = await fetch(request.url, { method, headers, redirect: "manual", signal: ending.signal, ...body });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = (): string => new TextDecoder().decode(bytes);
    if (!response.ok) return apiErrorOf(response.status, response.headers, text());
    return { status: response.status, headers: response.headers, bytes, text };
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (ending.signal.aborted)
      return new TimeoutError(`no answer from ${originOf(request.url)} within ${timeoutMs / 1000} s`);
    return new ConnectionError(`no connection to ${originOf(request.url)}: ${innermost(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

const timedOut = new Error("timed out");

function originOf(url: string): string {
  return new URL(url).origin;
}

/** What went wrong at the bottom: fetch itself only says that it failed. */
function innermost(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  if (cause instanceof AggregateError && cause.errors.length > 0) cause = cause.errors[0];
  return cause instanceof Error ? cause.message || ((cause as { code?: string }).code ?? cause.name) : String(cause);
}

/** A key that nobody else makes: `crypto.randomUUID` is not there on pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Resolves after a time; rejects with the reason of the signal when that is aborted before. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's, whatever it is
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
