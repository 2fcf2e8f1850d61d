import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { ClassifierService, ClassifyRequestSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getProblemFacts } from "@switchyard/rpc";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

const mebibyte = 1024 * 1024;

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const overHttp = () => ({ baseUrl: system.gateway.url, httpVersion: "1.1" as const });
const transports: readonly [string, () => Transport][] = [
  ["Connect, JSON", () => createConnectTransport(overHttp())],
  ["Connect, binary", () => createConnectTransport({ ...overHttp(), useBinaryFormat: true })],
  ["gRPC-Web", () => createGrpcWebTransport(overHttp())],
  ["gRPC", () => createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` })],
];
const headers = () => ({ authorization: `Bearer ${system.token}` });

describe.each(transports)("messages over %s", (_title, transport) => {
  const client = () => createClient(ClassifierService, transport());
  const list = (bytes: number) =>
    client().listClassifiers({ projectId: "prj_1", pageToken: "x".repeat(bytes) }, { headers: headers() });

  it("are limited to 1 MiB, as over REST", async () => {
    expect((await list(mebibyte - 100)).classifiers).toHaveLength(1);
    const error = await list(mebibyte).then(
      () => undefined,
      (reason: unknown) => ConnectError.from(reason),
    );
    expect(getProblemFacts(error)).toMatchObject({ code: Code.ResourceExhausted, reason: "PAYLOAD_TOO_LARGE" });
  });

  it("may contain a file of 25 MiB", async () => {
    const content = { filename: "a.txt", contentType: "text/plain", data: new Uint8Array(25 * mebibyte).fill(97) };
    const document = { case: "content" as const, value: content };
    await client().classify({ classifierId: "clf_1", document }, { headers: headers() });
    const received = system.classified.at(-1)?.document;
    expect(received?.case === "content" ? received.value.data.length : 0).toBe(25 * mebibyte);
  });
});

/** Calls `Classify` over Connect with a message of these bytes. */
async function classify(type: string, body: Uint8Array | string): Promise<Response> {
  return fetch(`${system.gateway.url}/${ClassifierService.typeName}/Classify`, {
    method: "POST",
    headers: { ...headers(), "content-type": type },
    body,
  });
}

it("do not keep the unknown fields of a message of the size of a file, which would take gigabytes", async () => {
  const known = toBinary(ClassifyRequestSchema, create(ClassifyRequestSchema, { classifierId: "clf_unknown" }));
  // Each is a field of the type varint with the value 0, in three bytes.
  const unknown = Buffer.alloc(3 * 100_000, Buffer.from([0xf8, 0x7f, 0x00]));
  expect((await classify("application/proto", Buffer.concat([known, unknown]))).status).toBe(200);
  expect(system.classified.at(-1)?.classifierId).toBe("clf_unknown");
  expect(system.classified.at(-1)?.$unknown).toBeUndefined();
});

it("have at most as many JSON values as 1 MiB can contain", async () => {
  const response = await classify(
    "application/json",
    `{"classifierId":"clf_1","content":[${"{},".repeat(6_000_000)}{}]}`,
  );
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { code: "invalid_argument", message: expect.stringContaining("more than 524288 values") as unknown },
  ]);
});
