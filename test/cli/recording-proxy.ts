import { calls } from "@switchyard/client";
import { createServer, request as send } from "node:http";

/** A proxy in front of a server, which records the requests. */
export interface RecordingProxy {
  url: string;
  /** The calls of the API that were made since the last time, sorted; any other request as its method and path. */
  takeCalls(): string[];
  close(): Promise<void>;
}

const patterns = Object.entries(calls).map(([name, { method, path }]) => ({
  name,
  method,
  path: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/:]+")}$`),
}));

/** Starts a proxy in front of a server. Bodies are passed on while they arrive. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const path = url.replace(/\?.*$/, "");
    const call = patterns.find((pattern) => pattern.method === method && pattern.path.test(path));
    seen.add(call?.name ?? `${method} ${path}`);
    const forwarded = send(`${target}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    takeCalls() {
      const taken = [...seen].sort();
      seen.clear();
      return taken;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
