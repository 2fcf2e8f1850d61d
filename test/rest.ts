/** An answer of the REST API. */
export interface Answer<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

/** The REST API with one token, without a client library: every answer comes back as it is. */
export interface Rest {
  get<Body = any>(path: string): Promise<Answer<Body>>;
  post<Body = any>(path: string, body?: unknown): Promise<Answer<Body>>;
  patch<Body = any>(path: string, body: unknown): Promise<Answer<Body>>;
  /** Posts a file as the part `file` of a form, with more fields beside it. */
  upload<Body = any>(
    path: string,
    filename: string,
    bytes: Uint8Array,
    fields?: Record<string, string>,
  ): Promise<Answer<Body>>;
  send<Body = any>(path: string, init: RequestInit): Promise<Answer<Body>>;
}

/** Creates the API of a base URL; without a token no Authorization header is sent. `always` are headers of every request. */
export function createRest(url: string, token?: string, always: Readonly<Record<string, string>> = {}): Rest {
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(always)) headers.set(name, value);
    if (token !== undefined && !headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(`${url}${path}`, { redirect: "manual", ...init, headers });
    const text = await response.text();
    const json = /json/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json && text !== "" ? JSON.parse(text) : undefined,
    };
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
