import { createFileRegistry, fromBinary, getOption, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, status as Status } from "@grpc/grpc-js";
import { http } from "@switchyard/contracts/google/api/annotations";
import {
  type ServerReflectionResponse,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "@switchyard/contracts/grpc/reflection/v1/reflection";
import { permission, Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { type RpcServer, serveRpc } from "../serving/serving.ts";
import { registerSome } from "../testing/test-services.ts";

type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

describe.each(["v1", "v1alpha"])("reflection %s with a grpc-js client", (version) => {
  let server: RpcServer;
  let client: Client;
  beforeAll(async () => {
    const services = [registerSome(ClassifierService, {})];
    server = await serveRpc({ host: "127.0.0.1", port: 0, services, interceptors: [] });
    client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  const ask = (...questions: Question[]) => getAsk(client, ...questions);
  async function getAsk(asked: Client, ...questions: Question[]) {
    const call = asked.makeBidiStreamRequest<Question, ServerReflectionResponse>(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (messageRequest) =>
        Buffer.from(toBinary(ServerReflectionRequestSchema, create(ServerReflectionRequestSchema, { messageRequest }))),
      (bytes) => fromBinary(ServerReflectionResponseSchema, bytes),
      new Metadata(),
    );
    for (const question of questions) call.write(question);
    call.end();
    const responses: ServerReflectionResponse["messageResponse"][] = [];
    for await (const response of call) responses.push((response as ServerReflectionResponse).messageResponse);
    return responses;
  }
  function filesIn(response: ServerReflectionResponse["messageResponse"] | undefined): FileDescriptorProto[] {
    if (response?.case !== "fileDescriptorResponse") throw new Error(`not files but ${response?.case}`);
    return response.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  }

  it("lists the services, including health and reflection", async () => {
    const [response] = await ask({ case: "listServices", value: "" });
    expect(response?.case === "listServicesResponse" && response.value.service.map(({ name }) => name)).toEqual([
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
      "switchyard.classifier.v1.ClassifierService",
    ]);
  });

  it("returns files by their names, which end in .proto", async () => {
    const responses = await ask(
      { case: "fileByFilename", value: "switchyard/classifier/v1/classifier.proto" },
      { case: "fileByFilename", value: "google/protobuf/descriptor.proto" },
      { case: "fileByFilename", value: "switchyard/classifier/v1/classifier" },
    );
    expect(filesIn(responses[0])[0]?.name).toBe("switchyard/classifier/v1/classifier.proto");
    expect(filesIn(responses[1])[0]?.name).toBe("google/protobuf/descriptor.proto");
    expect(responses[2]).toMatchObject({ case: "errorResponse", value: { errorCode: Status.NOT_FOUND } });
  });

  it.each([
    ["service", "switchyard.classifier.v1.ClassifierService", "switchyard/classifier/v1/classifier.proto"],
    ["method", "switchyard.classifier.v1.ClassifierService.Classify", "switchyard/classifier/v1/classifier.proto"],
    ["message", "switchyard.classifier.v1.Route", "switchyard/classifier/v1/classifier.proto"],
    ["field", "switchyard.classifier.v1.Route.model_id", "switchyard/classifier/v1/classifier.proto"],
    ["enum value", "switchyard.classifier.v1.REASON_CODE_NO_MATCH", "switchyard/classifier/v1/classifier.proto"],
    ["extension", "google.api.http", "google/api/annotations.proto"],
    ["error detail", "google.rpc.ErrorInfo", "google/rpc/error_details.proto"],
    ["well-known type", "google.protobuf.Timestamp", "google/protobuf/timestamp.proto"],
  ])("returns the file of a symbol: %s", async (_, symbol, file) => {
    const [response] = await ask({ case: "fileContainingSymbol", value: symbol });
    expect(filesIn(response)[0]?.name).toBe(file);
  });

  it("hides other services in the same file, and types that only they use", async () => {
    const services = [registerSome(ExtractionService, {})];
    const other = await serveRpc({ host: "127.0.0.1", port: 0, services, interceptors: [] });
    const outside = new Client(`127.0.0.1:${other.port}`, credentials.createInsecure());
    const named = (symbol: string): Question => ({
      case: "fileContainingSymbol",
      value: `switchyard.extraction.v1.${symbol}`,
    });
    const [file, service, message, shared] = await getAsk(
      outside,
      named("ExtractionService"),
      named("DocumentService"),
      named("ReadDocumentRequest"),
      named("Extraction"),
    );
    const shown = filesIn(file).flatMap((each) => [
      ...each.service.map(({ name }) => name),
      ...each.messageType.map(({ name }) => name),
    ]);
    expect(shown).toEqual(expect.arrayContaining(["ExtractionService", "UploadFileRequest", "MethodOptions"]));
    expect(shown).not.toContain("DocumentService");
    expect(shown).not.toContain("ReadDocumentRequest");
    for (const absent of [service, message])
      expect(absent).toMatchObject({ case: "errorResponse", value: { errorCode: Status.NOT_FOUND } });
    expect(filesIn(shared)[0]?.name).toBe("switchyard/extraction/v1/extraction.proto");
    outside.close();
    await other.close();
  });

  it("returns a file with everything that it needs, including options and JSON names", async () => {
    const [response] = await ask({ case: "fileContainingSymbol", value: ClassifierService.typeName });
    const given = filesIn(response);
    // protobuf-es requires imports before the files that need them.
    const ordered = (name: string): FileDescriptorProto[] => {
      const file = given.find((candidate) => candidate.name === name);
      if (file === undefined) throw new Error(`${name} is imported and missing`);
      return [...file.dependency.flatMap(ordered), file];
    };
    const file = [...new Set(ordered(given[0]?.name ?? ""))];
    const files = createFileRegistry(create(FileDescriptorSetSchema, { file }));
    const method = files.getService(ClassifierService.typeName)?.method["getClassifier"];
    if (method === undefined) throw new Error("no such method");
    expect(getOption(method, http).pattern.value).toBe("/api/v1/classify/{classifier_id}");
    expect(getOption(method, permission)).toBe(Permission.MODELS_READ);
    const route = files.getMessage("switchyard.classifier.v1.Route");
    expect(route?.fields.find(({ name }) => name === "model_id")?.jsonName).toBe("deploymentId");
  });

  it("returns extensions by number, and their numbers by message", async () => {
    const extendee = "google.protobuf.MethodOptions";
    const [byNumber, numbers, none, unknown] = await ask(
      { case: "fileContainingExtension", value: { containingType: extendee, extensionNumber: 50300 } },
      { case: "allExtensionNumbersOfType", value: extendee },
      { case: "allExtensionNumbersOfType", value: "switchyard.classifier.v1.Route" },
      { case: "allExtensionNumbersOfType", value: "switchyard.classifier.v1.Nothing" },
    );
    expect(filesIn(byNumber)[0]?.name).toBe("switchyard/annotations/v1/annotations.proto");
    expect(numbers?.case === "allExtensionNumbersResponse" && numbers.value.extensionNumber).toEqual(
      expect.arrayContaining([50300, 50301, 72295728]),
    );
    expect(none?.case === "allExtensionNumbersResponse" && none.value.extensionNumber).toEqual([]);
    expect(unknown).toMatchObject({ case: "errorResponse", value: { errorCode: Status.NOT_FOUND } });
  });

  it("does not delay a closing server", async () => {
    const other = await serveRpc({ host: "127.0.0.1", port: 0, services: [], interceptors: [] });
    const idle = new Client(`127.0.0.1:${other.port}`, credentials.createInsecure());
    const call = idle.makeBidiStreamRequest<Uint8Array, Buffer>(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (bytes) => Buffer.from(bytes),
      (bytes) => bytes,
    );
    const ended = new Promise<number>((resolve) => call.once("status", ({ code }) => resolve(code)));
    call.on("error", () => undefined);
    const question = create(ServerReflectionRequestSchema, { messageRequest: { case: "listServices", value: "" } });
    call.write(toBinary(ServerReflectionRequestSchema, question));
    await new Promise((resolve) => call.once("data", resolve));
    const begin = performance.now();
    await other.close();
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(await ended).toBe(Status.OK);
    idle.close();
  });
});
