import { create, createFileRegistry, type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import {
  createByteBudget,
  createLogger,
  createRpcRequestHandler,
  type PortLimits,
  serverInterceptors,
  serveRpc,
} from "@switchyard/rpc";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createConformanceService } from "./service.ts";

/**
 * The server of the conformance suite: `server.ts DESCRIPTORS public|internal`. It reads a ServerCompatRequest from the standard input, and
 * serves until the suite ends it. A public server limits its clients like the gateway; an internal one is as services are for each other.
 */
const [, , descriptors = "", kind] = process.argv;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, await readFile(descriptors)));

function getSchema(name: string): DescMessage {
  const schema = registry.getMessage(`connectrpc.conformance.v1.${name}`);
  if (schema === undefined) throw new Error(`${descriptors} has no ${name}`);
  return schema;
}

/** HTTP_VERSION_1 of the suite. */
const http1 = 1;

/** Each message on the standard streams follows its length in four bytes. */
async function readRequest() {
  let received = Buffer.alloc(0);
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk]);
    if (received.length >= 4 && received.length >= 4 + received.readUInt32BE()) break;
  }
  return fromBinary(getSchema("ServerCompatRequest"), received.subarray(4)) as Message & {
    httpVersion: number;
    messageReceiveLimit: number;
  };
}

const { httpVersion, messageReceiveLimit } = await readRequest();
/** Wide enough that no case reaches them. */
const limits: PortLimits = {
  ...{ maxConnections: 1_000, maxRequests: 1_000, maxConcurrentStreams: 100 },
  ...{ maxUnreadBytes: 64 * 1024 * 1024, streamWindowBytes: 256 * 1024, connectionWindowBytes: 1024 * 1024 },
  ...{ headersTimeoutMs: 10_000, requestTimeoutMs: 60_000, responseTimeoutMs: 60_000 },
  ...{ idleTimeoutMs: 300_000, pingIntervalMs: 30_000, pingTimeoutMs: 15_000 },
};
// If the suite is killed, it does not end its servers.
setTimeout(() => process.exit(1), 300_000).unref();
const logger = createLogger({ name: "conformance", level: "silent" });
const maxBytes = messageReceiveLimit > 0 ? messageReceiveLimit : 4 * 1024 * 1024;
const options = {
  services: [createConformanceService(registry)],
  interceptors: serverInterceptors({ logger }),
  logger,
  readMaxBytes: maxBytes,
  ...(kind === "public" && {
    admit: () => Promise.resolve(),
    bodyBudget: createByteBudget({ maxBytes: 128 * 1024 * 1024, maxWaitMs: 10_000 }),
    limitMessages: () => ({ maxBytes, keepsUnknownFields: false }),
  }),
};
const host = "127.0.0.1";
let port: number;
if (httpVersion === http1) {
  const server = createServer(createRpcRequestHandler(options)).listen(0, host);
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
} else {
  ({ port } = await serveRpc({ ...options, host, port: 0, ...(kind === "public" && { limits }) }));
}
const responseSchema = getSchema("ServerCompatResponse");
const response = toBinary(responseSchema, create(responseSchema, { host, port }));
const length = Buffer.alloc(4);
length.writeUInt32BE(response.length);
process.stdout.write(Buffer.concat([length, response]));
