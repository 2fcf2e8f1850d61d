import { toJson } from "@bufbuild/protobuf";
import type { DescMessage, DescMethodStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Route } from "@switchyard/rest";
import { createRest } from "../rest.ts";
import { getMessage, getName, rpcs } from "../specification/testing/rpcs.ts";
import type { SampleRequest } from "../specification/testing/rpcs.ts";
import { createSampleWorld, invoiceText } from "../specification/testing/sample-world.ts";
import type { SampleWorld } from "../specification/testing/sample-world.ts";
import { getSamples } from "../specification/testing/samples.ts";
import type { TestSystem } from "../system.ts";
import { startTestSystem } from "../system.ts";

/** Calls with Connect's JSON codec, the default of connect-web, have the same responses as with binary messages. */
describe("Connect's JSON codec", () => {
  let system: TestSystem;
  let world: SampleWorld;
  let json: Transport;
  let binary: Transport;
  let headers: { authorization: string };
  beforeAll(async () => {
    system = await startTestSystem("one process");
    world = await createSampleWorld(system.url, system.token);
    const connect = { baseUrl: system.url, httpVersion: "1.1" as const };
    json = createConnectTransport({ ...connect, useBinaryFormat: false, jsonOptions: { ignoreUnknownFields: false } });
    binary = createConnectTransport({ ...connect, useBinaryFormat: true });
    headers = { authorization: `Bearer ${system.token}` };
  }, 120_000);
  afterAll(() => system?.close());

  /** Returns all response messages of a method. */
  async function call(transport: Transport, { method }: Route, request: Message): Promise<Message[]> {
    if (method.methodKind === "unary") {
      const unary = method as DescMethodUnary<DescMessage, DescMessage>;
      const response = await transport.unary(unary, undefined, 30_000, headers, request);
      return [response.message];
    }
    const streaming = method as DescMethodStreaming<DescMessage, DescMessage>;
    const response = await transport.stream(streaming, undefined, 30_000, headers, only(request) as never);
    const messages = [];
    for await (const message of response.message) messages.push(message);
    return messages;
  }

  const sent = rpcs.filter(({ method, removed }) => method.methodKind !== "client_streaming" && removed === undefined);

  it.each(sent.map((route) => ({ name: getName(route), route })))(
    "gives the same responses as binary messages for $name",
    async ({ route }) => {
      const { method } = route;
      for (const sample of getSamples(route)) {
        const request = getMessage(route, withContent(await sample(world)));
        const responses = await call(json, route, request);
        expect(responses.length).toBeGreaterThan(0);
        if (method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) continue;
        const again = await call(binary, route, request);
        const plain = (response: Message) => toJson(method.output, response);
        expect(responses.map(plain)).toEqual(again.map(plain));
      }
    },
  );

  it("uploads a file with ExtractionService.UploadFile", async () => {
    const parts = async function* () {
      yield { projectId: world.projectId, filename: "sample.txt" };
      yield { data: Buffer.from(invoiceText), last: true };
    };
    const file = await createClient(ExtractionService, json).uploadFile(parts(), { headers });
    expect(file).toMatchObject({ filename: "sample.txt", size: invoiceText.length });
  });

  it("never confuses the model of a route with its deployment, whichever field names a client uses", async () => {
    const rest = createRest(system.url, system.token);
    const ask = async (method: string, body: object) =>
      (await rest.post(`/switchyard.classifier.v1.ClassifierService/${method}`, body)).body;
    const { projectId, invoices, deployment } = world;
    const { id: classifierId } = await ask("CreateClassifier", { projectId, name: world.newName() });
    const toModel = await ask("AddRoute", { classifier_id: classifierId, model_id: invoices });
    const names = { classifier_id: classifierId, model_id: invoices, target_deployment_id: deployment };
    const toDeployment = await ask("AddRoute", names);
    expect(toModel).toMatchObject({ deploymentId: invoices, deployment: { id: invoices } });
    expect(Object.keys(toModel)).not.toContain("targetDeploymentId");
    const pinned = { deploymentId: invoices, targetDeploymentId: deployment, targetDeployment: { id: deployment } };
    expect(toDeployment).toMatchObject(pinned);
    const route = { classifierId, routeId: toDeployment.id };
    const wrong = await ask("UpdateRoute", { ...route, updateMask: "deploymentId" });
    expect(wrong).toMatchObject({ code: "invalid_argument" });
    await ask("DeleteRoute", { classifierId, routeId: toModel.id });
    const cleared = await ask("UpdateRoute", { ...route, updateMask: "targetDeploymentId" });
    expect(Object.keys(cleared)).not.toContain("targetDeploymentId");
    expect(await ask("UpdateRoute", { ...route, targetDeploymentId: deployment })).toMatchObject(pinned);
  });
});

/** Over RPC a file is a field of the message. Other parts of the form are strings, which JSON would not convert to their types. */
function withContent({ path, body, file, ...request }: SampleRequest): SampleRequest {
  if (file === undefined) return { ...request, ...(path && { path }), ...(body && { body }) };
  const { extract: _, ...fields } = { ...body };
  const data = Buffer.from(file.text).toString("base64");
  const content = { filename: file.filename, contentType: "text/plain", data };
  return { ...request, ...(path && { path }), body: { ...fields, content } };
}

async function* only(message: Message): AsyncGenerator<Message> {
  yield message;
}
