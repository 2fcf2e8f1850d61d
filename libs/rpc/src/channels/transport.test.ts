import { Code } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createChannelTransport } from "./channel.ts";
import { createDirectTransport } from "./direct.ts";
import { serveRpc } from "../serving/serving.ts";
import type { Connect } from "../testing/transport-set-up.ts";
import { transportFailuresSuite } from "./transport-failures.suite.ts";
import { transportSuite } from "./transport.suite.ts";

const serve = (...[services, interceptors]: Parameters<Connect>) =>
  serveRpc({ host: "127.0.0.1", port: 0, services, interceptors, closeGraceMs: 500, reflection: false });

function describeTransport(connect: Connect, deadlineCodes?: readonly Code[]): void {
  transportSuite(connect);
  transportFailuresSuite(connect, deadlineCodes);
}

describe("direct transport", () => {
  describeTransport(async (services, serverInterceptors) => ({
    transport: createDirectTransport({ services, serverInterceptors, freezeResponses: true }),
    close: () => Promise.resolve(),
  }));
});

describe("channel transport", () => {
  describeTransport(async (services, interceptors) => {
    const server = await serve(services, interceptors);
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

// Services do not use this transport, but it tests the server with an independent client.
describe("connect-node's gRPC transport", () => {
  describeTransport(
    async (services, interceptors) => {
      const server = await serve(services, interceptors);
      const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${server.port}` });
      return { transport, close: () => server.close() };
    },
    // This client resets the stream with INTERNAL_ERROR if its timer fires before the server's.
    [Code.DeadlineExceeded, Code.Canceled, Code.Internal],
  );
});
