/**
 * A gateway whose services respond with constants in the same process, next to a `node:http` server that sends a canned response. Started
 * with a file that contains, for each project, the binary message with which its classifiers are listed, in Base64, and its JSON.
 */
import { create, fromBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  createIdentityKeys,
  createTokenVerifier,
  identitySigner,
  identityVerifier,
  mintTokenSecret,
} from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import {
  ClassifierService,
  type ListClassifiersResponse,
  ListClassifiersResponseSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createGateway, publicServices } from "@switchyard/gateway";
import { clientInterceptors, createDirectTransport, createLogger, register, serverInterceptors } from "@switchyard/rpc";
import { readFile } from "node:fs/promises";
import { startFloor } from "./measuring.ts";

/** The lists of projects, by the ID of the project. */
export type ConstantLists = Record<string, { message: string; json: string }>;

const lists = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as ConstantLists;
const messages = new Map<string, ListClassifiersResponse>();
for (const [projectId, { message }] of Object.entries(lists)) {
  messages.set(projectId, fromBinary(ListClassifiersResponseSchema, Buffer.from(message, "base64")));
}

const token = mintTokenSecret("ORGANIZATION");
const caller = create(CallerSchema, {
  tokenId: "tok_1",
  userId: "usr_1",
  organizationId: "org_1",
  scope: TokenScope.ORGANIZATION,
  permissions: [Permission.MODELS_READ],
});
const logger = createLogger({ name: "bench", level: "warn", destination: process.stderr });
const keys = createIdentityKeys(Buffer.alloc(32, 7));
const implementation = {
  listClassifiers: ({ projectId }) => messages.get(projectId) ?? create(ListClassifiersResponseSchema),
} as Partial<ServiceImpl<typeof ClassifierService>> as ServiceImpl<typeof ClassifierService>;
const gateway = await createGateway({
  host: "127.0.0.1",
  port: 0,
  grpcPort: 0,
  services: publicServices.map(({ service, audience }) => ({
    service,
    transport: createDirectTransport({
      services: [register(ClassifierService, implementation)],
      serverInterceptors: [...serverInterceptors({ logger }), identityVerifier({ audience, keys })],
      interceptors: [...clientInterceptors(), identitySigner({ service: "gateway", audience, keys })],
    }),
  })),
  verifier: createTokenVerifier({ lookup: async () => Promise.resolve(caller) }),
  recordRefusal: async () => Promise.resolve(),
  requestsPerMinute: 0,
  leaseRequests: () => Promise.reject(new Error("A gateway without a rate limit leases nothing")),
  logger,
});
const canned = await Promise.all(Object.values(lists).map(({ json }) => startFloor(Buffer.from(json))));
const urls = canned.map(({ url }) => new URL(url).port);
console.log(`listening on ${new URL(gateway.url).port} ${urls.join(" ")} with ${token}`);
