/** The REST API as the demo uses it: what a user would type, without a client library. */
export interface Api {
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  patch<Answer>(path: string, body: unknown): Promise<Answer>;
  /** Posts a file as the part `file` of a form. */
  upload<Answer>(path: string, filename: string, bytes: Uint8Array<ArrayBuffer>): Promise<Answer>;
}

/** Creates the API of a base URL and a token. Calls throw, with the problem's own words, on any answer but a 2xx. */
export function createApi(baseUrl: string, token: string): Api {
  async function call<Answer>(method: string, path: string, init: RequestInit): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(`${baseUrl}${path}`, { ...init, method, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  }
  const json = (body: unknown): RequestInit => ({
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return {
    get: (path) => call("GET", path, {}),
    post: (path, body) => call("POST", path, json(body)),
    patch: (path, body) => call("PATCH", path, json(body)),
    upload(path, filename, bytes) {
      const body = new FormData();
      body.append("file", new Blob([bytes]), filename);
      return call("POST", path, { body });
    },
  };
}
