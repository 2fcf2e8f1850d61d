import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createClient, type ClientOptions } from "./client.ts";
import {
  ApiError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  TimeoutError,
} from "./errors.ts";

type Reply = (request: IncomingMessage & { text: string }, response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
const readAll = async (chunks: AsyncIterable<unknown>): Promise<void> => {
  for await (const chunk of chunks) void chunk;
};
const hangUp: Reply = (_, response) => void response.socket?.destroy();

describe("createClient", () => {
  let server: Server;
  let replies: Reply[];
  let requests: (IncomingMessage & { text: string })[];

  beforeEach(async () => {
    replies = [];
    requests = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const whole = Object.assign(request, { text: Buffer.concat(chunks).toString("utf8") });
        requests.push(whole);
        (replies.shift() ?? json(500, {}))(whole, response);
      });
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const client = (options: ClientOptions = {}) => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("not listening");
    return createClient({ baseUrl: `http://127.0.0.1:${address.port}/behind/`, token: "secret", ...options });
  };
  const lines = () => requests.map(({ method, url }) => `${method} ${url}`);

  it("sends the path, query, body and token, and returns the body of the response", async () => {
    replies.push(json(200, { data: [], nextPageToken: null }), json(201, { id: "rte_1" }));
    await client().listFiles({ projectId: "a/b", limit: 2 });
    await client().addRoute({ classifierId: "clf_1", deploymentId: "mdl_1", targetDeploymentId: null });
    expect(lines()).toEqual([
      "GET /behind/api/v1/projects/a%2Fb/files?limit=2",
      "POST /behind/api/v1/classify/clf_1/routes",
    ]);
    expect(JSON.parse(requests[1]?.text ?? "")).toEqual({ deploymentId: "mdl_1", targetDeploymentId: null });
    expect(requests[1]?.headers).toMatchObject({ authorization: "Bearer secret", "content-type": "application/json" });
  });

  it.each(["", ".", ".."])("rejects %j as an ID without sending a request", async (fileId) => {
    await expect(client().getFile({ fileId })).rejects.toMatchObject({ name: "InvalidRequestError", field: "fileId" });
    expect(requests).toEqual([]);
  });

  it("calls fetch without a receiver, as browsers require", async () => {
    const strictFetch = function (this: unknown, ...args: Parameters<typeof fetch>) {
      if (this !== undefined && this !== globalThis) throw new TypeError("Illegal invocation");
      return fetch(...args);
    };
    replies = [json(200, { id: "tok_1" }), (_, response) => void response.end("data: {}\n\n")];
    const picking = client({ fetch: strictFetch, retries: 0 });
    expect(await picking.getMe()).toEqual({ id: "tok_1" });
    for await (const event of picking.watchExecution({ executionId: "bmk_1" })) expect(event).toEqual({});
    expect(requests.length).toBe(2);
  });

  it("rejects invalid base URLs and tokens, without the token in the error", () => {
    for (const baseUrl of ["localhost:8080", "ftp://host", "http://host/?x", "http://user@host"])
      expect(() => createClient({ baseUrl })).toThrow(InvalidRequestError);
    expect(() => createClient({ token: "marker\n" })).toThrow(/^(?!.*marker).*characters/);
  });

  it("throws errors with the code, the request ID and fields", async () => {
    const problem = { detail: "No such file.", status: 404, code: "FILE_NOT_FOUND", requestId: "req_1", errors: [] };
    replies.push(json(404, problem), json(502, "busy"));
    const error = await client()
      .getFile({ fileId: "fil_1" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ status: 404, code: "FILE_NOT_FOUND", requestId: "req_1" });
    const other = await client({ retries: 0 })
      .getFile({ fileId: "fil_1" })
      .catch((thrown: unknown) => thrown);
    expect(other).toBeInstanceOf(ApiError);
    expect(other).toMatchObject({ status: 502, code: "HTTP_502", requestId: "" });
  });

  it("retries reads after temporary errors and broken connections", async () => {
    replies.push(json(503, {}, { "retry-after": "0" }), hangUp, json(200, { id: "fil_1" }));
    expect(await client().getFile({ fileId: "fil_1" })).toEqual({ id: "fil_1" });
    expect(requests).toHaveLength(3);
  });

  it("tells why and how long it waits before it retries a call", async () => {
    const told: unknown[] = [];
    const onRetry: ClientOptions["onRetry"] = (failure, delayMs) => told.push([failure.name, delayMs]);
    replies.push(json(429, { code: "RATE_LIMITED" }, { "retry-after": "0" }), hangUp, json(200, { id: "fil_1" }));
    await client({ onRetry }).getFile({ fileId: "fil_1" });
    expect(told).toEqual([
      ["RateLimitError", 0],
      ["ConnectionError", expect.any(Number)],
    ]);
    replies.push(json(404, {}));
    await expect(client({ onRetry }).getFile({ fileId: "fil_1" })).rejects.toBeInstanceOf(NotFoundError);
    expect(told).toHaveLength(2);
  });

  it("retries a POST with the same idempotency key, but not after a conflict", async () => {
    replies.push(hangUp, json(503, {}, { "retry-after": "0" }), json(409, { code: "ROUTE_EXISTS" }));
    await expect(client().addRoute({ classifierId: "c" })).rejects.toBeInstanceOf(ConflictError);
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    replies.push(json(409, { code: "ROUTE_EXISTS" }));
    await expect(client().addRoute({ classifierId: "c" })).rejects.toBeInstanceOf(ConflictError);
    expect(requests[3]?.headers["idempotency-key"]).not.toBe(keys[0]);
  });

  it("sends a PATCH or DELETE only once if there is no response", async () => {
    replies.push(hangUp, hangUp);
    await expect(client().updateProject({ projectId: "p", name: "n" })).rejects.toBeInstanceOf(ConnectionError);
    await expect(client().deleteProject({ projectId: "p" })).rejects.toBeInstanceOf(ConnectionError);
    expect(requests).toHaveLength(2);
    expect(requests[0]?.headers["idempotency-key"]).toBeUndefined();
  });

  it.each([Infinity, 2 ** 31])("waits without a limit if the timeout is %s", async (timeoutMs) => {
    replies.push((request, response) => void setTimeout(() => json(200, { user: null })(request, response), 100));
    expect(await client({ timeoutMs, retries: 0 }).getMe()).toEqual({ user: null });
  });

  it("throws after the timeout, and at once if the caller aborts", async () => {
    const never: Reply = () => undefined;
    replies.push(never, never, never);
    await expect(client({ timeoutMs: 1_000, retries: 1 }).getMe()).rejects.toBeInstanceOf(TimeoutError);
    expect(requests).toHaveLength(2);
    const ending = new AbortController();
    const call = client().getMe({}, { signal: ending.signal });
    ending.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect(client().getMe({}, { signal: ending.signal })).rejects.toThrow("enough");
  });

  it("can be aborted while it waits for a retry", async () => {
    replies.push(json(503, {}, { "retry-after": "30" }));
    const ending = new AbortController();
    const call = client().getMe({}, { signal: ending.signal });
    setTimeout(() => ending.abort(new Error("enough")), 100);
    await expect(call).rejects.toThrow("enough");
  });

  it("iterates over pages by nextPageToken, or by the Link of an array", async () => {
    replies.push(
      json(200, { data: [{ id: "fil_2" }], nextPageToken: "t 1" }),
      json(200, { data: [{ id: "fil_1" }], nextPageToken: null }),
      json(200, [{ id: "clf_2" }], {
        link: '</api/v1/classify?projectId=p&limit=500&pageToken=a+b%2Bc>; rel="next"',
      }),
      json(200, [{ id: "clf_1" }]),
    );
    const ids: string[] = [];
    for await (const { id } of client().all("listFiles", { projectId: "p" })) ids.push(id);
    for await (const { id } of client().all("listClassifiers", { projectId: "p" })) ids.push(id);
    expect(ids).toEqual(["fil_2", "fil_1", "clf_2", "clf_1"]);
    expect(lines().map((line) => line.slice("GET /behind/api/v1".length))).toEqual([
      "/projects/p/files",
      "/projects/p/files?pageToken=t+1",
      "/classify?projectId=p&limit=500",
      "/classify?projectId=p&limit=500&pageToken=a+b%2Bc",
    ]);
  });

  it("sends files as forms, from bytes and from streams, and rejects one that is too large", async () => {
    replies.push(json(503, {}, { "retry-after": "0" }), json(201, {}), json(201, {}));
    const bytes = new TextEncoder().encode("the bytes");
    await client().classify({ classifierId: "c", extract: false, file: { filename: "a.txt", data: bytes } });
    async function* stream() {
      yield bytes.slice(0, 4);
      yield bytes.slice(4);
    }
    await client().uploadFile({
      projectId: "p",
      file: { filename: "b.txt", contentType: "text/plain", data: stream() },
    });
    expect(requests[0]?.text).toMatch(/name="extract"\r\n\r\nfalse[^]*name="file"; filename="a\.txt"[^]*the bytes/);
    expect(requests[1]?.text).toContain("the bytes");
    expect(requests[2]?.text).toMatch(/filename="b\.txt"\r\nContent-Type: text\/plain\r\n\r\nthe bytes/);
    replies.push(json(201, {}), json(201, {}));
    const data = new Blob([bytes], { type: "text/csv" });
    await client().uploadFile({ projectId: "p", file: { filename: "d.txt", data } });
    expect(requests[3]?.text).toMatch(/filename="d\.txt"\r\nContent-Type: text\/csv\r\n\r\nthe bytes/);
    const contentType = "text/plain; charset=windows-1251";
    await client().uploadFile({ projectId: "p", file: { filename: "e.txt", contentType, data } });
    expect(requests[4]?.text).toContain(`filename="e.txt"\r\nContent-Type: ${contentType}\r\n\r\nthe bytes`);
    const endless = async function* () {
      for (;;) yield new Uint8Array(1024 * 1024);
    };
    const tooLarge = { projectId: "p", file: { filename: "c", data: endless() } };
    await expect(client().uploadFile(tooLarge)).rejects.toMatchObject({ name: "InvalidRequestError", field: "file" });
  });

  it("also throws a connection error if a file cannot be sent to the port", async () => {
    // Port 6000 is one of those that fetch refuses.
    const sending = client({ baseUrl: "http://127.0.0.1:6000" }).uploadFile({
      projectId: "prj_1",
      file: { filename: "a.pdf", data: new Uint8Array(1) },
    });
    await expect(sending).rejects.toThrow(ConnectionError);
    // An error of a stream that was left would be thrown now, outside of any call.
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it("rejects responses that are not from Switchyard", async () => {
    replies.push((_, response) => void response.end("<html>"));
    await expect(client().getMe()).rejects.toMatchObject({ code: "NOT_JSON" });
    replies.push((_, response) => void response.writeHead(301, { location: "https://elsewhere/" }).end());
    await expect(client().getMe()).rejects.toThrow(/redirects to https:\/\/elsewhere\//);
  });

  describe("calls that return events", () => {
    const events: Reply = (_, response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).write(": keep-alive\n\n");
    const event = (done: number, status = "RUNNING"): string =>
      `event: progress\r\ndata: ${JSON.stringify({ status, progress: { done } })}\r\n\r\n`;
    const seen = async (options: ClientOptions = {}): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const { progress } of client(options).watchExecution({ executionId: "bmk_1" }))
        found.push(progress?.done);
      return found;
    };

    it("yield each event as it arrives, however the bytes are split, and reconnect if the connection breaks", async () => {
      replies.push(
        (request, response) => {
          events(request, response);
          const text = event(0) + event(1);
          response.write(text.slice(0, 20));
          setTimeout(() => response.write(text.slice(20)), 20);
          setTimeout(() => response.socket?.destroy(), 60);
        },
        (request, response) => {
          events(request, response);
          response.end(event(2, "COMPLETED"));
        },
      );
      expect(await seen()).toEqual([0, 1, 2]);
      expect(lines()).toEqual(Array(2).fill("GET /behind/api/v1/benchmarks/bmk_1/events"));
      expect(requests[0]?.headers).toMatchObject({ accept: "text/event-stream", authorization: "Bearer secret" });
    });

    it("throw the errors of the server, at the start and later", async () => {
      replies.push(json(404, { code: "EXECUTION_NOT_FOUND" }));
      await expect(seen()).rejects.toMatchObject({ status: 404, code: "EXECUTION_NOT_FOUND" });
      replies.push((request, response) => {
        events(request, response);
        response.end(`${event(0)}event: error\ndata: {"status":401,"code":"TOKEN_INVALID"}\n\n`);
      });
      await expect(seen()).rejects.toMatchObject({ name: "AuthenticationError", code: "TOKEN_INVALID" });
      expect(requests).toHaveLength(2);
    });

    it("retry an idle connection, and end if the caller aborts", async () => {
      replies.push(events, events);
      await expect(seen({ timeoutMs: 1_000, retries: 1 })).rejects.toBeInstanceOf(TimeoutError);
      expect(requests).toHaveLength(2);
      replies.push(events);
      const ending = new AbortController();
      setTimeout(() => ending.abort(new Error("enough")), 50);
      const watching = client().watchExecution({ executionId: "bmk_1" }, { signal: ending.signal });
      await expect(watching.next()).rejects.toThrow("enough");
    });
  });

  it("opens a request by its path, and reads the body while it arrives", async () => {
    let finish: () => void = () => undefined;
    replies.push(json(503, {}, { "retry-after": "0" }), (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).write("begin");
      finish = () => void response.end("end");
    });
    const { status, headers, chunks } = await client().open({ method: "GET", path: "/api/v1/x?y=1" });
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain"]);
    expect(new TextDecoder().decode((await chunks.next()).value as Uint8Array)).toBe("begin");
    finish();
    expect(new TextDecoder().decode((await chunks.next()).value as Uint8Array)).toBe("end");
    expect((await chunks.next()).done).toBe(true);
    expect(lines()).toEqual(["GET /behind/api/v1/x?y=1", "GET /behind/api/v1/x?y=1"]);
    expect(requests[0]?.headers["authorization"]).toBe("Bearer secret");
  });

  it("opens a POST with one idempotency key, and throws its errors and a broken body", async () => {
    replies.push(hangUp, json(409, { code: "ROUTE_EXISTS" }));
    const request = { method: "POST", path: "/api/v1/x", body: "{}" } as const;
    await expect(client().open(request)).rejects.toBeInstanceOf(ConflictError);
    expect(requests[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
    expect(requests[1]?.headers["idempotency-key"]).toBe(requests[0]?.headers["idempotency-key"]);
    replies.push((_, response) => {
      response.writeHead(200).write("begin", () => response.socket?.destroy());
    });
    const { chunks } = await client().open({ method: "GET", path: "/api/v1/x" });
    await expect(readAll(chunks)).rejects.toBeInstanceOf(ConnectionError);
    replies.push((_, response) => void response.writeHead(200).write("begin"));
    const slow = await client({ timeoutMs: 50 }).open({ method: "GET", path: "/api/v1/x" });
    await expect(readAll(slow.chunks)).rejects.toBeInstanceOf(TimeoutError);
  });

  it("ends a request whose body is left before anything of it was read, or after a part", async () => {
    for (const isBegun of [false, true]) {
      let isClosed = false;
      replies.push((_, response) => {
        response.once("close", () => (isClosed = true));
        response.writeHead(200).write("begin");
      });
      const { chunks } = await client().open({ method: "GET", path: "/api/v1/x" });
      if (isBegun) await chunks.next();
      await chunks.return();
      await expect.poll(() => isClosed).toBe(true);
    }
  });

  it("refuses to open a path of another server, or outside of the base URL", async () => {
    const paths = [
      "//other/x",
      "http://other/behind/x",
      "x",
      "/../x",
      "/%2e%2e/x",
      "/a b",
      "/x#y",
      "/\\other",
      "ftp://x/",
    ];
    for (const path of paths)
      await expect(client().open({ method: "GET", path })).rejects.toMatchObject({ field: "path" });
    expect(requests).toEqual([]);
  });
});
