import { startAttempt, waitToRetry, type Attempt } from "./attempt.ts";
import type { Call } from "./call.ts";
import { createApiError, InvalidRequestError, type ApiError, type ConnectionError } from "./errors.ts";
import type { HttpRequest } from "./request.ts";
import { withIdempotencyKey, type SendOptions } from "./send.ts";

/** A request that is named by its path instead of by a call. */
export interface PathRequest {
  readonly method: Call["method"] | "HEAD";
  /** The path below the base URL, with its query: /api/v1/projects?limit=5. The URL of the server with such a path is valid too. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form is sent as `multipart/form-data`. */
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData | undefined;
}

/** A response whose body is read while it arrives. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: Headers;
  /**
   * The bytes of the body. They must be read, or returned from, to end the request. The timeout applies to each wait for more bytes; a
   * broken connection throws a `ConnectionError`.
   */
  readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;
}

/**
 * Sends a request, retries it as `send` does, and returns the response as soon as its headers have arrived. Nothing is retried after that.
 */
export async function openResponse(
  method: PathRequest["method"],
  request: HttpRequest,
  options: SendOptions,
): Promise<OpenResponse> {
  // HEAD is GET without a body.
  const call = { method: method === "HEAD" ? "GET" : method };
  const { headers, hasKey } = withIdempotencyKey(call, request.headers, options);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await openOnce({ ...request, headers }, options);
    if (!(outcome instanceof Error)) return outcome;
    await waitToRetry(call, outcome, attempt, { ...options, hasKey });
  }
}

async function openOnce(
  request: HttpRequest,
  options: SendOptions,
): Promise<OpenResponse | ApiError | ConnectionError> {
  const attempt = startAttempt(request.url, options.timeoutMs, options.signal);
  const { signal } = attempt;
  let isOpen = false;
  try {
    const { method, headers } = request;
    const body = request.body === undefined ? {} : { body: request.body };
    const response = await options.fetch(request.url, { method, headers, redirect: "manual", signal, ...body });
    // Not an error, but the response to a condition that the caller set.
    if (!response.ok && response.status !== 304)
      return createApiError(response.status, response.headers, await response.text());
    isOpen = true;
    const chunks = endingOnReturn(readChunks(response, attempt), attempt);
    return { status: response.status, headers: response.headers, chunks };
  } catch (error) {
    return attempt.failure(error);
  } finally {
    if (!isOpen) attempt.end();
  }
}

async function* readChunks(response: Response, attempt: Attempt): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  try {
    const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null)?.getReader();
    for (;;) {
      attempt.restart();
      const step = await reader?.read();
      attempt.pause();
      if (step === undefined || step.done) return;
      yield step.value;
    }
  } catch (error) {
    throw attempt.failure(error);
  } finally {
    attempt.end();
  }
}

/** Ends the attempt when the chunks are returned from, even before the first one: a generator that has not begun has no `finally` to run. */
function endingOnReturn(chunks: OpenResponse["chunks"], attempt: Attempt): OpenResponse["chunks"] {
  const leave = chunks.return.bind(chunks);
  return Object.assign(chunks, {
    return(value: void | PromiseLike<void>) {
      attempt.end();
      return leave(value);
    },
  });
}

/**
 * Resolves a path, or a URL, to a URL of the server.
 * @throws InvalidRequestError if it would lead to another server, or out of the folder of the base URL
 */
export function resolvePath(baseUrl: string, path: string): string {
  const invalid = (reason: string) => new InvalidRequestError("path", `the path ${JSON.stringify(path)} ${reason}`);
  if (/[\s\u0000-\u001f\u007f\\]/.test(path)) throw invalid("contains a space, a control character or a backslash");
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
  if (!isUrl && (!path.startsWith("/") || path.startsWith("//"))) throw invalid("must begin with a single slash");
  const text = isUrl ? path : `${baseUrl}${path}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !`${url.href}/`.startsWith(`${baseUrl}/`))
    throw invalid(`does not belong to the server ${baseUrl}`);
  if (url.hash !== "") throw invalid("contains a fragment");
  return url.href;
}
