import type { Call } from "./call.ts";
import { readEnvironment } from "./config.ts";
import { InvalidRequestError } from "./errors.ts";
import { receiveEvents, type Events } from "./events.ts";
import { parseFilename } from "./files.ts";
import { calls, type Api } from "./gen/api.ts";
import { getPages, type PageItem, type PagedCall } from "./pages.ts";
import { toHttpRequest, type HttpRequest } from "./request.ts";
import { parseJsonBody, send, type Answer, type SendOptions } from "./send.ts";

/** How to reach a server. */
export interface ClientOptions {
  /** Default: SWITCHYARD_BASE_URL, else http://127.0.0.1:8080. */
  readonly baseUrl?: string | undefined;
  /** Default: SWITCHYARD_TOKEN. */
  readonly token?: string | undefined;
  /** How long one attempt may take, in milliseconds; default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a call that failed is tried again, where that can do no harm; default 2. */
  readonly retries?: number | undefined;
  /** Sends the requests; default the platform's fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** What a single call may have otherwise. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /** Of a POST: the same key and request have one effect and one answer. Made up for the retries of one call when absent. */
  readonly idempotencyKey?: string | undefined;
}

type Arguments<Name extends keyof Api> =
  Record<never, never> extends Api[Name]["request"]
    ? [request?: Api[Name]["request"], options?: CallOptions]
    : [request: Api[Name]["request"], options?: CallOptions];

/** Every call of the API as a method, and what cannot be one. */
export type Client = {
  readonly [Name in keyof Api]: (
    ...args: Arguments<Name>
  ) => Api[Name]["answer"] extends AsyncGenerator ? Api[Name]["answer"] : Promise<Api[Name]["answer"]>;
} & {
  /** The items of a list, page after page as they are asked for. */
  all<Name extends PagedCall>(
    name: Name,
    request: Omit<Api[Name]["request"], "pageToken">,
    options?: CallOptions,
  ): AsyncGenerator<PageItem<Name>, void, void>;
  /** A call whose answer is wanted as it came: status, headers and bytes. Fails as the call's method does. */
  exchange<Name extends keyof Api>(name: Name, ...args: Arguments<Name>): Promise<Answer>;
};

/**
 * Creates a client. Its calls throw `ApiError` (by its kind: `NotFoundError` and so on) for an answer that is an error,
 * `ConnectionError` or `TimeoutError` when none came, `InvalidRequestError` for what cannot be sent, and the reason of
 * `options.signal` when that is aborted.
 * @throws InvalidRequestError when the base URL or the token cannot be one
 */
export function createClient(options: ClientOptions = {}): Client {
  const environment = readEnvironment();
  const baseUrl = parseBaseUrl(options.baseUrl ?? environment.baseUrl ?? "http://127.0.0.1:8080");
  const token = getToken(options.token ?? environment.token);

  async function httpRequest(call: Call, request: object): Promise<HttpRequest> {
    const http = await toHttpRequest(baseUrl, call, request as Readonly<Record<string, unknown>>);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return { ...http, headers: { ...http.headers, ...authorization } };
  }

  // As a function of its own: a browser's fetch called as a method of anything but the window is an "Illegal invocation".
  const fetch: typeof globalThis.fetch = (...args) => (options.fetch ?? globalThis.fetch)(...args);

  function sending(callOptions: CallOptions): SendOptions {
    return {
      fetch,
      timeoutMs: callOptions.timeoutMs ?? options.timeoutMs ?? 60_000,
      retries: callOptions.retries ?? options.retries ?? 2,
      signal: callOptions.signal,
      idempotencyKey: callOptions.idempotencyKey,
    };
  }

  async function exchange(name: keyof Api, request: object = {}, callOptions: CallOptions = {}): Promise<Answer> {
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
        call.answer === "events"
          ? (request?: object, callOptions?: CallOptions) => events(name, request, callOptions)
          : async (request?: object, callOptions?: CallOptions) =>
              read(call, await exchange(name, request, callOptions));
      return [name, method];
    }),
  );
  return {
    ...methods,
    exchange,
    all: (name: PagedCall, request: object, callOptions?: CallOptions) =>
      getPages(calls[name], request, (page) => exchange(name, page, callOptions)),
  } as unknown as Client;
}

/** What a call's method returns of an answer. */
function read(call: Call, answer: Answer): unknown {
  switch (call.answer) {
    case "none":
      return undefined;
    case "content":
      return {
        filename: parseFilename(answer.headers.get("content-disposition")),
        contentType: answer.headers.get("content-type") ?? "",
        bytes: answer.bytes,
      };
    default:
      return parseJsonBody(answer);
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
      `the base URL ${JSON.stringify(text)} is not like https://host or https://host/path`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function getToken(token: string | undefined): string | undefined {
  // A header takes no other characters; the token itself is never said in an error.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new InvalidRequestError("token", "the token has characters that no token has, such as blanks or line ends");
  return token;
}
