// Measures a call between services, within a process and over gRPC, next to a client and server of connect-node with its defaults.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient, type ServiceImpl, type Transport } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import {
  ClassifierService,
  type ListClassifiersResponse,
  ListClassifiersResponseSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import {
  clientInterceptors,
  createChannelTransport,
  createDirectTransport,
  createLogger,
  register,
  serveRpc,
  serverInterceptors,
} from "@switchyard/rpc";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 5);
const concurrency = 32;

/** Returns a list of classifiers of three routes each. */
function createList(count: number): ListClassifiersResponse {
  const at = timestampFromMs(Date.UTC(2026, 0, 2));
  const routes = [1, 2, 3].map((each) => ({
    ...{ id: `rte_${each}`, name: `Route ${each}`, modelId: `mdl_${each}` },
    model: { id: `mdl_${each}`, name: `Model ${each}` },
  }));
  const classifiers = Array.from({ length: count }, (_, index) => ({
    ...{ id: `clf_${index}`, name: `Classifier ${index}`, projectId: "prj_1", createdAt: at, updatedAt: at },
    routes,
  }));
  return create(ListClassifiersResponseSchema, { classifiers });
}

/** Returns the processor time of this process for one call, client and server together, in microseconds. */
async function measureCall(transport: Transport, projectId: string, count: number): Promise<number> {
  const client = createClient(ClassifierService, transport);
  const run = async (milliseconds: number): Promise<number> => {
    const deadline = performance.now() + milliseconds;
    let calls = 0;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (performance.now() < deadline) {
          const { classifiers } = await client.listClassifiers({ projectId });
          if (classifiers.length !== count) throw new Error(`The response has ${classifiers.length} classifiers`);
          calls += 1;
        }
      }),
    );
    return calls;
  };
  await run(Math.min(seconds, 2) * 1_000);
  const before = process.cpuUsage();
  const calls = await run(seconds * 1_000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** The maximum processor time of a call over gRPC, as a share of what connect-node's defaults take. It takes 0.23 to 0.28. */
const maxShare = 0.4;

/** Measures lists of 1 and 20 classifiers. A call over gRPC must take less than `maxShare` of connect-node's processor time. */
export async function measure(): Promise<boolean> {
  const lists = new Map([1, 20].map((count) => [`prj_${count}`, createList(count)]));
  const implementation = {
    listClassifiers: ({ projectId }) => lists.get(projectId) ?? create(ListClassifiersResponseSchema),
  } as Partial<ServiceImpl<typeof ClassifierService>> as ServiceImpl<typeof ClassifierService>;
  const logger = createLogger({ name: "bench", level: "warn", destination: process.stderr });
  const services = [register(ClassifierService, implementation)];
  const interceptors = serverInterceptors({ logger });
  const direct = createDirectTransport({
    services,
    serverInterceptors: interceptors,
    interceptors: clientInterceptors(),
  });
  const server = await serveRpc({ host: "127.0.0.1", port: 0, services, interceptors });
  const channel = createChannelTransport({
    target: `127.0.0.1:${server.port}`,
    interceptors: clientInterceptors(),
  });
  const plain = createServer(
    connectNodeAdapter({ routes: (router) => router.service(ClassifierService, implementation) }),
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => plain.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  const defaults = createGrpcTransport({ baseUrl });
  let isCheap = true;
  try {
    for (const [projectId, { classifiers }] of lists) {
      const { length } = classifiers;
      const floor = await measureCall(defaults, projectId, length);
      const print = (name: string, micros: number): void =>
        console.log(
          `  list of ${length}, ${name.padEnd(18)} ${micros.toFixed(0).padStart(4)} µs of processor time, ${(micros / floor).toFixed(2)} of connect-node's`,
        );
      print("connect-node", floor);
      const overGrpc = await measureCall(channel, projectId, length);
      print("over gRPC", overGrpc);
      isCheap &&= overGrpc < maxShare * floor;
      print("within the process", await measureCall(direct, projectId, length));
    }
    return isCheap;
  } finally {
    channel.close();
    await server.close();
    plain.close();
  }
}
