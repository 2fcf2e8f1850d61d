import { create, fromJson } from "@bufbuild/protobuf";
import type { DescMessage, DescMethodUnary, JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { errorFromJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import { connect } from "node:http2";
import type { IncomingHttpHeaders } from "node:http2";
import { ErrorInfoSchema } from "@switchyard/contracts/google/rpc/error_details";
import type { Route } from "@switchyard/rest";
import { getProblemFacts } from "@switchyard/rpc";
import { createRest } from "../rest.ts";
import { givenSystem } from "../specification/testing/office.ts";
import { toFields, getName, rpcs, getTarget } from "../specification/testing/rpcs.ts";

const id = "req-of-this-test";

/** Invalid messages are the client's fault: over every protocol, the error names the field and has the request ID. */
describe("invalid messages and values", () => {
  const given = givenSystem("shared");
  let transports: Record<string, Transport>;
  let headers: Record<string, string>;
  beforeAll(async () => {
    const web = { baseUrl: given.system.url, httpVersion: "1.1" as const };
    transports = {
      Connect: createConnectTransport({ ...web, useBinaryFormat: true }),
      "gRPC-Web": createGrpcWebTransport(web),
      gRPC: createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}` }),
    };
    headers = { authorization: `Bearer ${given.system.token}`, "x-request-id": id };
  });

  // A stream of responses is called like any other.
  const unary = rpcs.filter(({ method }) => method.methodKind === "unary");
  const timed = unary.flatMap((route) =>
    toFields(route.method.input)
      .filter(({ field }) => field.message?.typeName === TimestampSchema.typeName)
      .map(({ field, name }) => ({ rpc: getName(route), name, route, field })),
  );
  const noTexts = ["9999-12-31T23:59:59-00:01", "2026-02-31T00:00:00Z", "2026-01-31T24:00:00Z", "tomorrow", ""];
  const noTimes = [
    { seconds: 0n, nanos: -1 },
    { seconds: 0n, nanos: 2e9 },
    { seconds: 253_402_300_859n, nanos: 0 },
    { seconds: -62_135_596_801n, nanos: 0 },
    { seconds: 2n ** 62n, nanos: 0 },
  ];

  it("include every timestamp field of requests", () => {
    expect(timed.map(({ rpc, name }) => `${rpc} ${name}`)).toEqual(
      expect.arrayContaining(["IdentityService.CreateToken expiresAt", "IdentityService.ListAuditEntries from"]),
    );
  });

  it.each(timed)("$rpc rejects an invalid time in $name", async ({ route, name, field }) => {
    const method = route.method as DescMethodUnary<DescMessage, DescMessage>;
    for (const [protocol, transport] of Object.entries(transports)) {
      for (const time of noTimes) {
        const request = create(method.input, { [field.localName]: create(TimestampSchema, time) }) as Message;
        const error = await transport
          .unary(method, undefined, 30_000, headers, request as never)
          .then(() => "was taken", ConnectError.from);
        expect({ protocol, ...getProblemFacts(error) }).toMatchObject({
          protocol,
          code: Code.InvalidArgument,
          reason: "INVALID_REQUEST",
          violations: [{ field: name }],
        });
      }
    }
    const rest = createRest(given.system.url, given.system.token);
    const path = Object.fromEntries(
      route.template.variables.map(({ field: variable }) => [
        route.method.input.fields.find((each) => each.name === variable)?.jsonName ?? variable,
        "none",
      ]),
    );
    for (const text of noTexts) {
      const overRest = await (route.body === undefined
        ? rest.get(getTarget(route, { path, query: { [name]: text } }))
        : rest.post(getTarget(route, { path }), { [name]: text }));
      expect(overRest).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
      expect(overRest.body.errors.map((error: { field: string }) => error.field)).toContain(name);
      for (const key of new Set([name, field.name])) {
        const refused = { code: Code.InvalidArgument, reason: "INVALID_REQUEST", violations: [{ field: name }] };
        for (const call of [overJson, overGrpcWebJson, overGrpcJson]) {
          const error = await call(splitPath(route), { [key]: text });
          expect({ call: call.name, text, ...getProblemFacts(error) }).toMatchObject(refused);
        }
      }
    }
  });

  const numbered = unary.flatMap((route) =>
    toFields(route.method.input)
      .filter(({ field }) => field.enum !== undefined)
      .map(({ name, steps }) => ({ rpc: getName(route), name, route, steps })),
  );

  it("include every enum field of requests", () => {
    expect(numbered.map(({ rpc, name }) => `${rpc} ${name}`)).toEqual(
      expect.arrayContaining([
        "ValuesService.ListValues status",
        "ConfigurationService.UpdateConfiguration columns[0].type",
      ]),
    );
  });

  it.each(numbered)("$rpc rejects a number that is not a value of $name", async ({ route, name, steps }) => {
    const method = route.method as DescMethodUnary<DescMessage, DescMessage>;
    const message = steps.reduceRight<JsonValue>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), 99);
    const refused = {
      code: Code.InvalidArgument,
      reason: "INVALID_REQUEST",
      violations: [{ field: name, message: expect.stringContaining("99") }],
    };
    for (const [protocol, transport] of Object.entries(transports)) {
      const request = fromJson(method.input, message);
      const error = await transport
        .unary(method, undefined, 30_000, headers, request as never)
        .then(() => "was taken", ConnectError.from);
      expect({ protocol, ...getProblemFacts(error) }).toMatchObject({ protocol, ...refused });
    }
    for (const call of [overJson, overGrpcWebJson, overGrpcJson]) {
      const error = await call(splitPath(route), message as JsonObject);
      expect({ call: call.name, ...getProblemFacts(error) }).toMatchObject(refused);
    }
  });

  it("in JSON are refused if a text would be altered, with its place", async () => {
    const values = "/switchyard.extraction.v1.AcceptedValuesService/SetAcceptedValues";
    const message = { fileId: "f", deploymentId: "m", tables: [{ slug: "t", rows: [{ values: { a: "\ud800" } }] }] };
    const refused = { code: Code.InvalidArgument, reason: "INVALID_REQUEST" };
    const field = "tables[0].rows[0].values.a";
    for (const call of [overJson, overGrpcWebJson, overGrpcJson]) {
      const error = getProblemFacts(await call(values, message));
      expect({ call: call.name, ...error }).toMatchObject({ ...refused, violations: [{ field }] });
    }
    const latin1 = await fetch(`${given.system.url}/switchyard.identity.v1.IdentityService/CreateTeam`, {
      method: "POST",
      body: new Uint8Array(Buffer.from('{"name":"Größe"}', "latin1")),
      headers: { ...headers, "content-type": "application/json" },
    });
    expect(latin1.status).toBe(400);
    expect(await latin1.text()).toContain("is not valid UTF-8");
  });

  /** Returns the error of a Connect call in JSON. */
  async function overJson(path: string, message: object): Promise<ConnectError> {
    const { body } = await createRest(given.system.url, given.system.token).post(path, message);
    return errorFromJson(body, undefined, new ConnectError("is no error"));
  }

  it("have a reason in their details, even if Connect itself refuses them", async () => {
    const path = "/switchyard.identity.v1.IdentityService/GetMe";
    const compressed = await fetch(`${given.system.url}${path}`, {
      ...{ method: "POST", body: "{}" },
      headers: { ...headers, "content-type": "application/json", "content-encoding": "snappy" },
    });
    const one = envelopedJson({});
    const unknown = { "grpc-encoding": "snappy" };
    const errors = {
      "an unknown compression, Connect": errorFromJson(
        (await compressed.json()) as JsonValue,
        undefined,
        new ConnectError("none"),
      ),
      "an unknown compression, gRPC-Web": await sendGrpcWeb(path, one, unknown),
      "an unknown compression, gRPC": await sendGrpc(path, one, unknown),
      "no message": await sendGrpc(path, Buffer.alloc(0)),
      "two messages": await sendGrpc(path, Buffer.concat([one, one])),
    };
    const reason = "UNIMPLEMENTED";
    for (const [name, error] of Object.entries(errors))
      expect({ name, details: error?.findDetails(ErrorInfoSchema) }).toMatchObject({ name, details: [{ reason }] });
  });

  const overGrpcWebJson = (path: string, message: object) => sendGrpcWeb(path, envelopedJson(message));
  const overGrpcJson = (path: string, message: object) => sendGrpc(path, envelopedJson(message));

  /** Returns the error of a gRPC-Web call in JSON. The trailers are the last frame of the response. */
  async function sendGrpcWeb(path: string, body: Buffer, own = {}): Promise<ConnectError | undefined> {
    const response = await fetch(`${given.system.url}${path}`, {
      ...{ method: "POST", body: new Uint8Array(body) },
      headers: { ...headers, "content-type": "application/grpc-web+json", ...own },
    });
    const frame = Buffer.from(await response.arrayBuffer());
    return findTrailerError(trailerParse(frame.subarray(5)));
  }

  /** Returns the error of a gRPC call in JSON. No client library supports it, so it is sent as a plain HTTP/2 request. */
  async function sendGrpc(path: string, body: Buffer, own = {}): Promise<ConnectError | undefined> {
    const session = connect(`http://127.0.0.1:${given.system.grpcPort}`);
    try {
      const stream = session.request({
        ...{ ":method": "POST", ":path": path, ...headers },
        ...{ "content-type": "application/grpc+json", te: "trailers", ...own },
      });
      // In a response without a body, the trailers are headers.
      const trailers = new Promise<IncomingHttpHeaders>((resolve, reject) => {
        stream.once("response", (first) => "grpc-status" in first && resolve(first));
        stream.once("trailers", resolve).once("error", reject);
        session.once("error", reject);
      });
      stream.end(body);
      stream.resume();
      const fields = Object.entries(await trailers).filter(([name]) => !name.startsWith(":"));
      return findTrailerError(new Headers(fields.map(([name, value]): [string, string] => [name, String(value)])));
    } finally {
      session.destroy();
    }
  }

  const broken = new Uint8Array([0x0a, 0xff, 0xff]);
  const enveloped = Buffer.concat([Buffer.from([0, 0, 0, 0, broken.length]), broken]);

  // A removed method responds without parsing its message.
  const served = rpcs.filter(({ removed }) => removed === undefined);

  it.each(served.map((route) => ({ name: getName(route), route })))(
    "$name rejects malformed bytes",
    async ({ route }) => {
      const post = async (type: string, body: Uint8Array) =>
        fetch(`${given.system.url}${splitPath(route)}`, {
          method: "POST",
          body: new Uint8Array(body),
          headers: { ...headers, "content-type": type },
        });
      const unary = route.method.methodKind === "unary";
      const connect = await post(`application/${unary ? "" : "connect+"}proto`, unary ? broken : enveloped);
      const body = await connect.text();
      expect([connect.status, connect.headers.get("x-request-id")]).toEqual([unary ? 400 : 200, id]);
      expect(body).toContain('"code":"invalid_argument"');
      const web = await post("application/grpc-web+proto", enveloped);
      expect(await web.text()).toMatch(/grpc-status: 3\r\n/);
      expect(web.headers.get("x-request-id")).toBe(id);
      const error = await overGrpc(splitPath(route), broken);
      expect([error?.code, error?.metadata.get("x-request-id")]).toEqual([grpc.status.INVALID_ARGUMENT, [id]]);
    },
  );

  it("every gRPC error has the request ID, whichever component created it", async () => {
    const path = "/switchyard.identity.v1.IdentityService/GetProject";
    const unknown = await overGrpc(path, new Uint8Array([0x0a, 0x01, 0x78]));
    expect([unknown?.code, unknown?.metadata.get("x-request-id")]).toEqual([grpc.status.NOT_FOUND, [id]]);
    const outsider = await overGrpc(path, new Uint8Array(), false);
    expect([outsider?.code, outsider?.metadata.get("x-request-id")]).toEqual([grpc.status.UNAUTHENTICATED, [id]]);
    for (const none of ["/no.such.Service/Get", "/switchyard.identity.internal.v1.IdentityLookupService/VerifyToken"]) {
      const refused = await overGrpc(none, new Uint8Array());
      expect([refused?.code, refused?.metadata.get("x-request-id")]).toEqual([grpc.status.UNIMPLEMENTED, [id]]);
    }
    const body = { projectId: "x" };
    const connect = await createRest(given.system.url, given.system.token, { "x-request-id": id }).post(path, body);
    expect([connect.status, connect.headers.get("x-request-id")]).toEqual([404, id]);
  });

  /** Sends bytes as the message of a call with a plain grpc-js client. */
  async function overGrpc(path: string, bytes: Uint8Array, withToken = true): Promise<grpc.ServiceError | null> {
    const client = new grpc.Client(`127.0.0.1:${given.system.grpcPort}`, grpc.credentials.createInsecure());
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(headers))
      if (withToken || name !== "authorization") metadata.set(name, value);
    const same = (buffer: Buffer): Buffer => buffer;
    try {
      return await new Promise((resolve) => {
        client.makeUnaryRequest(path, same, same, Buffer.from(bytes), metadata, resolve);
      });
    } finally {
      client.close();
    }
  }
});

/** Returns a message in JSON with the envelope of gRPC and gRPC-Web. */
function envelopedJson(message: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(message));
  const envelope = Buffer.alloc(5);
  envelope.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([envelope, bytes]);
}

function splitPath({ service, method }: Route): string {
  return `/${service.typeName}/${method.name}`;
}
