import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultLimits } from "../limits/limits.ts";
import type { QueuedRequest } from "../limits/request-queue.ts";
import { createCors } from "./cors.ts";
import { createRequestHandler, type RequestHandlerOptions } from "./request-handler.ts";

describe("a request that waits to be started", () => {
  it.each([
    ["is refused at once if there is no more room for it", true, 503, []],
    ["is started otherwise", false, 200, ["/api/v1/me"]],
  ])("%s", async (_, isRefused, status, started) => {
    const queued: QueuedRequest[] = [];
    const paths: string[] = [];
    const options = {
      ...{ queue: { add: (request: QueuedRequest) => queued.push(request) }, rpc: { handles: () => false } },
      ...{ cors: createCors([]), limits: defaultLimits, logger: { info: () => undefined } },
      refuseEarly(_request, response, hasWaited) {
        if (!hasWaited || !isRefused) return false;
        response.writeHead(503).end();
        return true;
      },
      async rest({ path, response }) {
        paths.push(path);
        response.end();
        return Promise.resolve({ status: 200, method: undefined, error: undefined });
      },
    } satisfies Partial<Record<keyof RequestHandlerOptions, unknown>> &
      Pick<RequestHandlerOptions, "refuseEarly" | "rest">;
    const handle = createRequestHandler(options as unknown as RequestHandlerOptions);
    const server = createServer((request, response) => handle(request, response, false));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const response = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/me`);
    await expect.poll(() => queued.length).toBe(1);
    expect(queued[0]?.begin()).toBe(!isRefused);
    expect([(await response).status, paths]).toEqual([status, started]);
    server.close();
  });
});
