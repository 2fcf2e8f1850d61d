import { createGrpcTransport } from "@connectrpc/connect-node";
import { createChannelTransport } from "./channel.ts";
import { createDirectTransport } from "./direct.ts";
import { serveRpc } from "../serving/serving.ts";
import { transportSuite } from "./transport.suite.ts";

describe("direct transport", () => {
  transportSuite(async (services, serverInterceptors) => ({
    transport: createDirectTransport({ services, serverInterceptors }),
    close: () => Promise.resolve(),
  }));
});

describe("channel transport", () => {
  transportSuite(async (services, interceptors) => {
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      services,
      interceptors,
      closeGraceMs: 500,
      reflection: false,
    });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    return {
      transport,
      async close() {
        transport.close();
        await server.close();
      },
    };
  });
});

// Not ours to call with, but what the server answers to a client that shares no code with our channel.
describe("connect-node's gRPC transport", () => {
  transportSuite(async (services, interceptors) => {
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      services,
      interceptors,
      closeGraceMs: 500,
      reflection: false,
    });
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${server.port}` });
    return { transport, close: () => server.close() };
  });
});
