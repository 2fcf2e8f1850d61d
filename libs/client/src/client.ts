import type { RetryListener } from "./attempt.ts";
import type { Call } from "./call.ts";
import { readEnvironment } from "./config.ts";
import { InvalidRequestError } from "./errors.ts";
import { receiveEvents, type Events } from "./events.ts";
import { parseFilename } from "./files.ts";
import { calls, type Api } from "./gen/api.ts";
import { openResponse, resolvePath, type OpenResponse, type PathRequest } from "./open.ts";
import { getPages, type PageItem, type PagedCall } from "./pages.ts";
import { toHttpRequest, type HttpRequest } from "./request.ts";
import { parseJsonBody, send, type ClientResponse, type SendOptions } from "./send.ts";

/** The options of a client. */
export interface ClientOptions {
  /** The URL of the server. The default is SWITCHYARD_BASE_URL, or http://127.0.0.1:8080. */
  readonly baseUrl?: string | undefined;
  /** The bearer token. The default is SWITCHYARD_TOKEN. */
  readonly token?: string | undefined;
  /**
   * The time limit of an attempt, in milliseconds; 60,000 by default, and Infinity for none. Node.js itself waits for at most five minutes
   * until a response begins, and then throws a `ConnectionError`.
   */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of retries of a failed call, if a retry is safe; 2 by default. */
  readonly retries?: number | undefined;
  /** Is told before the client waits to retry a call: up to a minute, if the server limits requests. */
  readonly onRetry?: RetryListener | undefined;
  /** The function that sends requests; the platform's fetch by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The options of a single call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /**
   * The idempotency key of a POST: the same key and request have a single effect and response. If it is absent, a key is generated for the
   * retries of the call.
   */
  readonly idempotencyKey?: string | undefined;
}

type Arguments<Name extends keyof Api> =
  Record<never, never> extends Api[Name]["request"]
    ? [request?: Api[Name]["request"], options?: CallOptions]
    : [request: Api[Name]["request"], options?: CallOptions];

/** A client, with a method for each call of the API. */
export type Client = {
  readonly [Name in keyof Api]: (
    ...args: Arguments<Name>
  ) => Api[Name]["response"] extends AsyncGenerator ? Api[Name]["response"] : Promise<Api[Name]["response"]>;
} & {
  /** Yields the items of a list. Pages are requested as needed. */
  all<Name extends PagedCall>(
    name: Name,
    request: Omit<Api[Name]["request"], "pageToken">,
    options?: CallOptions,
  ): AsyncGenerator<PageItem<Name>, void, void>;
  /** Makes a call and returns the unprocessed response: status, headers and bytes. Throws the same errors as the method of the call. */
  exchange<Name extends keyof Api>(name: Name, ...args: Arguments<Name>): Promise<ClientResponse>;
  /**
   * Sends a request by its path, for operations without a method, and for bodies that are read while they arrive. The token, the retries
   * and the errors are those of calls. A path that leads to another server is an `InvalidRequestError`.
   */
  open(request: PathRequest, options?: CallOptions): Promise<OpenResponse>;
  /** Makes a call and returns its unprocessed response with a body that is read while it arrives. */
  openCall<Name extends keyof Api>(name: Name, ...args: Arguments<Name>): Promise<OpenResponse>;
};

/**
 * Creates a client. Its calls throw an `ApiError` of the class of the status (`NotFoundError` and so on) for an error response,
 * `ConnectionError` or `TimeoutError` if there was no response, `InvalidRequestError` for a request that cannot be sent, and the reason of
 * `options.signal` if that is aborted.
 * @throws InvalidRequestError if the base URL or the token is invalid
 */
export function createClient(options: ClientOptions = {}): Client {
  const environment = readEnvironment();
  const baseUrl = parseBaseUrl(options.baseUrl ?? environment.baseUrl ?? "http://127.0.0.1:8080");
  const token = getToken(options.token ?? environment.token);

  async function httpRequest(call: Call, request: object): Promise<HttpRequest> {
    const http = await toHttpRequest(baseUrl, call, request as Readonly<Record<string, unknown>>);
    return { ...http, headers: authorized(http.headers) };
  }

  function authorized(headers: HttpRequest["headers"]): HttpRequest["headers"] {
    return token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
  }

  async function open(
    { method, path, headers = {}, body }: PathRequest,
    callOptions: CallOptions = {},
  ): Promise<OpenResponse> {
    const http = { method, url: resolvePath(baseUrl, path), headers: authorized(headers), body };
    return openResponse(method, http, sending(callOptions));
  }

  // A wrapper, because a browser's fetch must not be called as a method of another object ("Illegal invocation").
  const fetch: typeof globalThis.fetch = (...args) => (options.fetch ?? globalThis.fetch)(...args);

  async function openCall(name: keyof Api, request: object = {}, callOptions: CallOptions = {}): Promise<OpenResponse> {
    const call: Call = calls[name];
    return openResponse(call.method, await httpRequest(call, request), sending(callOptions));
  }

  function sending(callOptions: CallOptions): SendOptions {
    return {
      fetch,
      timeoutMs: callOptions.timeoutMs ?? options.timeoutMs ?? 60_000,
      retries: callOptions.retries ?? options.retries ?? 2,
      signal: callOptions.signal,
      idempotencyKey: callOptions.idempotencyKey,
      onRetry: options.onRetry,
    };
  }

  async function exchange(
    name: keyof Api,
    request: object = {},
    callOptions: CallOptions = {},
  ): Promise<ClientResponse> {
    return send(calls[name], await httpRequest(calls[name], request), sending(callOptions));
  }

  async function* events(name: keyof Api, request: object = {}, callOptions: CallOptions = {}): Events<unknown> {
    yield* receiveEvents(calls[name], await httpRequest(calls[name], request), sending(callOptions));
  }

  const methods = Object.fromEntries(
    Object.keys(calls).map((key) => {
      const name = key as keyof Api;
      const call: Call = calls[name];
      const method =
        call.response === "events"
          ? (request?: object, callOptions?: CallOptions) => events(name, request, callOptions)
          : async (request?: object, callOptions?: CallOptions) =>
              read(call, await exchange(name, request, callOptions));
      return [name, method];
    }),
  );
  return {
    ...methods,
    exchange,
    open,
    openCall,
    all: (name: PagedCall, request: object, callOptions?: CallOptions) =>
      getPages(calls[name], request, (page) => exchange(name, page, callOptions)),
  } as unknown as Client;
}

/** Returns the result of a call's method for a response. */
function read(call: Call, response: ClientResponse): unknown {
  switch (call.response) {
    case "none":
      return undefined;
    case "content":
      return {
        filename: parseFilename(response.headers.get("content-disposition")),
        contentType: response.headers.get("content-type") ?? "",
        bytes: response.bytes,
      };
    default:
      return parseJsonBody(response);
  }
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  )
    throw new InvalidRequestError(
      "baseUrl",
      `the base URL ${JSON.stringify(text)} must have the form https://host or https://host/path`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function getToken(token: string | undefined): string | undefined {
  // A header allows no other characters. Errors never contain the token.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new InvalidRequestError("token", "the token contains invalid characters, such as spaces or line breaks");
  return token;
}
