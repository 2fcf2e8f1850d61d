import { publicServices } from "@switchyard/gateway";
import { createRestApi, getErrorStatuses } from "@switchyard/rest";
import { setTimeout as sleep } from "node:timers/promises";

const api = createRestApi(publicServices.map(({ service }) => service));
/** Statuses of errors before the endpoint is known, or because the path has no such method. */
const ofTheServer: readonly number[] = [405, 408, 414, 417, 431];
const ofKeys: readonly string[] = ["IDEMPOTENCY_KEY_IN_USE", "SECRET_ALREADY_ISSUED"];

/** Throws if an endpoint responds with a status, or with the reason of a conflict, that its OpenAPI description does not have. */
function assertDescribed(method: string, path: string, { status, body }: Pick<RestResponse, "status" | "body">): void {
  const match = api.match(method, path.replace(/\?.*$/s, ""));
  if (match.kind !== "found" || status < 400 || ofTheServer.includes(status)) return;
  const { route } = match.target;
  const described = route.removed === undefined ? getErrorStatuses(route) : [401, 410, 429, 500, 503, 504];
  const code: unknown = body?.code;
  const known = status !== 409 || [...route.conflicts, ...ofKeys].some((reason) => reason === code);
  if (described.includes(status) && known) return;
  throw new Error(`${method} ${path} answered ${status} ${String(code)}, which its description does not have`);
}

/** Codes of temporary errors, after which nothing was done. On a busy machine any request may get them, and clients retry. */
const temporary: readonly unknown[] = ["OVERLOADED", "STORAGE_BUSY", "IDENTITY_UNAVAILABLE"];

/** A response of the REST API. */
export interface RestResponse<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

/**
 * The REST API with one token, without a client library. Every response is returned unchanged, except that temporary errors (503) are
 * retried. Throws if the OpenAPI description of the endpoint lacks the status.
 */
export interface Rest {
  get<Body = any>(path: string): Promise<RestResponse<Body>>;
  post<Body = any>(path: string, body?: unknown): Promise<RestResponse<Body>>;
  patch<Body = any>(path: string, body: unknown): Promise<RestResponse<Body>>;
  /** Posts a file as the part `file` of a form, with additional fields. */
  upload<Body = any>(
    path: string,
    filename: string,
    bytes: Uint8Array,
    fields?: Record<string, string>,
  ): Promise<RestResponse<Body>>;
  send<Body = any>(path: string, init: RequestInit): Promise<RestResponse<Body>>;
}

/**
 * Creates the API of a base URL. Without a token no Authorization header is sent. `always` are headers of every request. Temporary errors
 * are retried for `retryTimeoutMs`; with 0 they are returned.
 */
export function createRest(
  url: string,
  token?: string,
  always: Readonly<Record<string, string>> = {},
  retryTimeoutMs = 30_000,
): Rest {
  async function send(path: string, init: RequestInit): Promise<RestResponse> {
    // A stream can be sent only once.
    const timeoutMs = init.body instanceof ReadableStream ? 0 : retryTimeoutMs;
    for (const deadline = performance.now() + timeoutMs; ; await sleep(100)) {
      const response = await sendOnce(path, init);
      const again = response.status === 503 && temporary.includes(response.body?.code);
      if (!again || performance.now() > deadline) return response;
    }
  }
  async function sendOnce(path: string, init: RequestInit): Promise<RestResponse> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(always)) headers.set(name, value);
    if (token !== undefined && !headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(`${url}${path}`, { redirect: "manual", ...init, headers });
    const text = await readText(response);
    const json = /json/.test(response.headers.get("content-type") ?? "");
    const { status } = response;
    const received = {
      status,
      headers: response.headers,
      text,
      body: json && text !== "" ? JSON.parse(text) : undefined,
    };
    assertDescribed(init.method ?? "GET", path, received);
    return received;
  }
  const withJson = (method: string, body: unknown): RequestInit => ({
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return {
    send,
    get: (path) => send(path, { method: "GET" }),
    post: (path, body = {}) => send(path, withJson("POST", body)),
    patch: (path, body) => send(path, withJson("PATCH", body)),
    upload(path, filename, bytes, fields = {}) {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      body.append("file", new Blob([new Uint8Array(bytes)]), filename);
      return send(path, { method: "POST", body });
    },
  };
}

/** Reads the body of a response. Of a stream of events that begins before there is one, and may never end, only the beginning is read. */
async function readText(response: Response): Promise<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.startsWith(beginning)) break;
  }
  return text;
}

/** The comment with which a stream of events begins that has none yet. */
export const beginning = ": keep-alive\n\n";

/** Returns the body of a response. Throws if the request failed. */
export async function made(response: Promise<RestResponse>): Promise<any> {
  const { status, body, text } = await response;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}
