/** The REST API as the demo calls it, without a client library. */
export interface Api {
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: unknown): Promise<Body>;
  patch<Body>(path: string, body: unknown): Promise<Body>;
  put<Body>(path: string, body: unknown): Promise<Body>;
  /** Yields the data of server-sent events. */
  events<Data>(path: string): AsyncIterable<Data>;
  /** Uploads a file as the part `file` of a form, up to three times if the machine is too busy to read it in time; nothing is stored then. */
  upload<Body>(path: string, filename: string, bytes: Uint8Array<ArrayBuffer>): Promise<Body>;
}

/** Creates the API for a base URL and a token. Calls throw an error with the problem's text for any response that is not successful. */
export function createApi(baseUrl: string, token: string): Api {
  async function call<Body>(method: string, path: string, init: RequestInit, attempts = 1): Promise<Body> {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(`${baseUrl}${path}`, { ...init, method, headers });
    const text = await response.text();
    if ((response.status === 503 || response.status === 504) && attempts > 1)
      return call(method, path, init, attempts - 1);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  }
  const json = (body: unknown): RequestInit => ({
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return {
    get: (path) => call("GET", path, {}),
    post: (path, body) => call("POST", path, json(body)),
    patch: (path, body) => call("PATCH", path, json(body)),
    put: (path, body) => call("PUT", path, json(body)),
    async *events<Data>(path: string) {
      const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
      if (!response.ok || response.body === null) throw new Error(`GET ${path}: ${response.status}`);
      let text = "";
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        const blocks = `${text}${piece}`.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data !== undefined) yield JSON.parse(data) as Data;
        }
      }
    },
    upload(path, filename, bytes) {
      const body = new FormData();
      body.append("file", new Blob([bytes]), filename);
      return call("POST", path, { body }, 3);
    },
  };
}
