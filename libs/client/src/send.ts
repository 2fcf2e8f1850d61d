import { startAttempt, waitToRetry, type RetryListener } from "./attempt.ts";
import type { Call } from "./call.ts";
import { ApiError, createApiError, type ConnectionError } from "./errors.ts";
import type { HttpRequest } from "./request.ts";

/** An unprocessed response. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Decodes the bytes as UTF-8. */
  text(): string;
}

/** The options of sending a request. */
export interface SendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** The time limit of an attempt. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
  readonly idempotencyKey: string | undefined;
  readonly onRetry: RetryListener | undefined;
}

/**
 * Sends a request, retries it if `mayRetry` allows it, and returns the successful response. A POST that may be retried has the same
 * idempotency key in each attempt.
 */
export async function send(call: Call, request: HttpRequest, options: SendOptions): Promise<ClientResponse> {
  const { headers, hasKey } = withIdempotencyKey(call, request.headers, options);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await sendOnce({ ...request, headers }, options);
    if (!(outcome instanceof Error)) return outcome;
    await waitToRetry(call, outcome, attempt, { ...options, hasKey });
  }
}

/** Adds an idempotency key to the headers of a POST: that of the options, or a new one if the request may be retried. */
export function withIdempotencyKey(
  { method }: Pick<Call, "method">,
  headers: HttpRequest["headers"],
  { idempotencyKey, retries }: Pick<SendOptions, "idempotencyKey" | "retries">,
): { readonly headers: HttpRequest["headers"]; readonly hasKey: boolean } {
  const key = method === "POST" ? (idempotencyKey ?? (retries > 0 ? newKey() : undefined)) : undefined;
  return key === undefined
    ? { headers, hasKey: false }
    : { headers: { ...headers, "idempotency-key": key }, hasKey: true };
}

/** Makes an attempt. Returns the response, or the error that may be retried. Throws the reason of an abort. */
async function sendOnce(
  request: HttpRequest,
  options: SendOptions,
): Promise<ClientResponse | ApiError | ConnectionError> {
  const attempt = startAttempt(request.url, options.timeoutMs, options.signal);
  const { signal } = attempt;
  try {
    const { method, headers } = request;
    const body = request.body === undefined ? {} : { body: request.body };
    const response = await options.fetch(request.url, { method, headers, redirect: "manual", signal, ...body });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = (): string => new TextDecoder().decode(bytes);
    if (!response.ok) return createApiError(response.status, response.headers, text());
    return { status: response.status, headers: response.headers, bytes, text };
  } catch (error) {
    return attempt.failure(error);
  } finally {
    attempt.end();
  }
}

/**
 * Parses the JSON of a response.
 * @throws ApiError if it is invalid
 */
export function parseJsonBody(response: ClientResponse): unknown {
  try {
    return JSON.parse(response.text());
  } catch {
    const problem = createApiError(response.status, response.headers, "").problem;
    const detail = "The response is not JSON. The base URL may not be that of a Switchyard server.";
    throw new ApiError({ ...problem, code: "NOT_JSON", detail }, response.headers);
  }
}

/** Creates a unique key. `crypto.randomUUID` does not exist on pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
