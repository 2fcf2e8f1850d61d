import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Health } from "@switchyard/contracts/grpc/health/v1/health";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { GatewayLimits } from "../limits/limits.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

/** More time than any of the tested limits takes, even on a busy machine. */
export const timeoutMs = 60_000;

/** Reads a socket, and waits until it is closed. */
export async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.destroyed) await once(socket, "close");
}

/** Provides a gateway and sockets to its ports for each test, and closes them after it. */
export function usePorts() {
  let system: TestGateway;
  const sockets: Socket[] = [];
  afterEach(async () => {
    sockets.splice(0).forEach((socket) => socket.destroy());
    await system.stop();
  });

  async function servesOthers(): Promise<void> {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` });
    expect((await createClient(Health, transport).check({})).status).toBe(1);
    expect((await fetch(`${system.gateway.url}/healthz`)).status).toBe(200);
  }

  return {
    get system() {
      return system;
    },

    /** Starts the gateway of the test. */
    async start(limits: Partial<GatewayLimits>): Promise<void> {
      system = await startTestGateway(limits);
    },

    /** Opens a socket to a port and sends bytes. */
    dial(port: number, ...begin: Uint8Array[]): Socket {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      sockets.push(socket);
      if (begin.length > 0) socket.write(Buffer.concat(begin));
      return socket;
    },

    /** Checks that other clients are served on both ports. */
    servesOthers,

    /** Does the same for gateways whose limits are so short that they may also affect this check on a busy machine. */
    async eventuallyServesOthers(): Promise<void> {
      for (const deadline = performance.now() + timeoutMs; ;) {
        try {
          return await servesOthers();
        } catch (error) {
          if (performance.now() > deadline) throw error;
        }
      }
    },
  };
}
