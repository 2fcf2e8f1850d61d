import { setTimeout as sleep } from "node:timers/promises";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  createContextKey,
  createContextValues,
  decodeBinaryHeader,
  encodeBinaryHeader,
  type HandlerContext,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "@switchyard/contracts/google/rpc/error_details";
import { ServerReflection } from "@switchyard/contracts/grpc/reflection/v1/reflection";
import {
  ClassifierDetailSchema,
  ClassifierService,
  GetClassifierRequestSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { conflict, getProblemFacts, invalid, notFound, problem } from "../errors.ts";
import { serverInterceptors } from "../interceptors/chains.ts";
import { requestIdHeader } from "../interceptors/request-id.ts";
import type { ServiceRegistration } from "../serving/registration.ts";
import {
  waitForAbort,
  collect,
  getFailure,
  recordingLogger,
  registerSome,
  toStream,
} from "../testing/test-services.ts";

/** Starts the services and gives a transport to them. */
export type Connect = (
  services: readonly ServiceRegistration[],
  serverInterceptors: readonly Interceptor[],
) => Promise<{ transport: Transport; close(): Promise<void> }>;

/** What every way to reach a service has to do, whether there is a wire in between or not. */
export function transportSuite(connect: Connect): void {
  let closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.map((close) => close()));
    closing = [];
  });
  async function reach(services: ServiceRegistration[], log = recordingLogger()) {
    const { transport, close } = await connect(services, serverInterceptors({ logger: log.logger }));
    closing.push(close);
    return { transport, lines: log.lines };
  }
  type GetClassifier = (
    id: string,
    context: HandlerContext,
  ) => Promise<MessageInitShape<typeof ClassifierDetailSchema>>;
  async function classifiers(getClassifier: GetClassifier) {
    const { transport, lines } = await reach([
      registerSome(ClassifierService, {
        getClassifier: async ({ classifierId }, context) =>
          create(ClassifierDetailSchema, await getClassifier(classifierId, context)),
      }),
    ]);
    return { client: createClient(ClassifierService, transport), lines };
  }

  it("makes unary calls", async () => {
    const { client } = await classifiers(async (id) => ({ id, name: "Belege – 請求書", classificationCount: 7 }));
    const classifier = await client.getClassifier({ classifierId: "cls_1" });
    expect(classifier).toMatchObject({ id: "cls_1", name: "Belege – 請求書", classificationCount: 7, routes: [] });
  });

  it("carries headers both ways, and trailers, binary ones too", async () => {
    const bytes = new Uint8Array([0, 255, 10, 13, 200]);
    const { client } = await classifiers(async (_, context) => {
      context.responseHeader.set("x-answer", context.requestHeader.get("x-question") ?? "none");
      context.responseTrailer.set("x-last", "end");
      context.responseTrailer.set("echo-bin", context.requestHeader.get("note-bin") ?? "");
      return {};
    });
    let header = new Headers();
    let trailer = new Headers();
    await client.getClassifier(
      {},
      {
        headers: { "x-question": "how", "note-bin": encodeBinaryHeader(bytes) },
        onHeader: (value) => (header = value),
        onTrailer: (value) => (trailer = value),
      },
    );
    expect(header.get("x-answer")).toBe("how");
    expect(trailer.get("x-last")).toBe("end");
    expect([...decodeBinaryHeader(trailer.get("echo-bin") ?? "")]).toEqual([...bytes]);
  });

  it("passes the request id, and answers with it", async () => {
    const { client, lines } = await classifiers(async () => ({}));
    let header = new Headers();
    await client.getClassifier({}, { headers: { [requestIdHeader]: "req-1" }, onHeader: (value) => (header = value) });
    expect(header.get(requestIdHeader)).toBe("req-1");
    expect(lines).toContainEqual(
      expect.objectContaining({ method: "GetClassifier", code: "OK", requestId: "req-1", ms: expect.any(Number) }),
    );
  });

  it("streams answers in order, and the error after them", async () => {
    const { transport } = await reach([
      registerSome(ExtractionService, {
        async *getFileContent({ fileId }, context) {
          context.responseHeader.set("x-file", fileId);
          for (let size = 1; size <= 20; size++) yield { data: new Uint8Array(size) };
          throw conflict("NAME_TAKEN", "The file was replaced: 100 % sure");
        },
      }),
    ]);
    const sizes: number[] = [];
    let header = new Headers();
    const read = async () => {
      const options = { onHeader: (value: Headers) => (header = value) };
      for await (const { data } of createClient(ExtractionService, transport).getFileContent({ fileId: "f" }, options))
        sizes.push(data.length);
    };
    const facts = getProblemFacts(await getFailure(read()));
    expect(sizes).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(header.get("x-file")).toBe("f");
    expect(facts).toMatchObject({ code: Code.AlreadyExists, reason: "NAME_TAKEN" });
    expect(facts.message).toBe("The file was replaced: 100 % sure");
  });

  it("streams requests, also some megabytes", async () => {
    const { transport } = await reach([
      registerSome(ExtractionService, {
        async uploadFile(parts) {
          let size = 0;
          let filename = "";
          for await (const part of parts) {
            filename ||= part.filename;
            size += part.data.length;
          }
          return { size, filename };
        },
      }),
    ]);
    const chunk = new Uint8Array(1_000_000);
    const parts = toStream<{ filename?: string; data?: Uint8Array }>(
      { filename: "a.pdf" },
      ...Array.from({ length: 8 }, () => ({ data: chunk })),
    );
    const file = await createClient(ExtractionService, transport).uploadFile(parts);
    expect(file).toMatchObject({ size: 8_000_000, filename: "a.pdf" });
  });

  it("lets a handler refuse a stream of requests before its end", async () => {
    const { transport } = await reach([
      registerSome(ExtractionService, {
        async uploadFile(parts) {
          for await (const { filename } of parts) throw invalid([{ field: "filename", message: `not ${filename}` }]);
          return {};
        },
      }),
    ]);
    async function* endless() {
      for (;;) {
        yield { filename: "x" };
        await sleep(5);
      }
    }
    const error = await getFailure(createClient(ExtractionService, transport).uploadFile(endless()));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.InvalidArgument, message: "filename: not x" });
  });

  it("streams both ways at the same time", async () => {
    const { transport } = await reach([
      registerSome(ServerReflection, {
        async *serverReflectionInfo(requests) {
          for await (const { host } of requests) yield { validHost: `${host}!` };
        },
      }),
    ]);
    const heard = withResolvers();
    async function* requests() {
      yield { host: "a" };
      await heard.promise;
      yield { host: "b" };
    }
    const hosts: string[] = [];
    for await (const answer of createClient(ServerReflection, transport).serverReflectionInfo(requests())) {
      hosts.push(answer.validHost);
      heard.resolve();
    }
    expect(hosts).toEqual(["a!", "b!"]);
  });

  it("carries errors whole: code, text in any script, reason, metadata, violations", async () => {
    const violations = [
      { field: "routes[0].name", message: "fehlt: „Name“ – 名前?" },
      { field: "", message: "50 % & more; a=b/c,#@+$" },
    ];
    const { client } = await classifiers(async () => {
      throw problem(Code.FailedPrecondition, "ENGINE_CHANGED", "Später: 後で, 100%25 & x=y", {
        violations,
        metadata: { until: "morgen früh" },
        cause: new Error("secret of the handler"),
      });
    });
    const error = await getFailure(client.getClassifier({}));
    expect(getProblemFacts(error)).toEqual({
      code: Code.FailedPrecondition,
      reason: "ENGINE_CHANGED",
      message: "Später: 後で, 100%25 & x=y",
      metadata: { until: "morgen früh" },
      violations,
    });
    const status = ConnectError.from(error);
    expect(status.findDetails(ErrorInfoSchema)[0]?.domain).toBe("switchyard");
    expect(status.findDetails(BadRequestSchema)[0]?.fieldViolations).toHaveLength(2);
    expect(JSON.stringify([status.cause, [...status.metadata]])).not.toContain("secret of the handler");
  });

  it("carries errors that quote a huge request", async () => {
    const { client } = await classifiers(async (id) => {
      throw notFound("classifier", id, "classifierId");
    });
    const error = await getFailure(client.getClassifier({ classifierId: "ä".repeat(200_000) }));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.NotFound, reason: "CLASSIFIER_NOT_FOUND" });
  });

  it("carries an error with half a surrogate pair", async () => {
    const { client } = await classifiers(async () => {
      throw problem(Code.NotFound, "FILE_NOT_FOUND", "half \ud83d of it");
    });
    expect(getProblemFacts(await getFailure(client.getClassifier({})))).toMatchObject({ message: "half \ufffd of it" });
  });

  it("tells nothing of unexpected errors, and logs them whole", async () => {
    const { client, lines } = await classifiers(async () => {
      throw new TypeError("the password is 1234");
    });
    const error = await getFailure(client.getClassifier({}));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.Internal, reason: "INTERNAL" });
    expect(String(error)).not.toContain("1234");
    expect(lines).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: "the password is 1234" }) }),
    );
  });

  it("honours deadlines on both sides, also of handlers that do not look", async () => {
    let remaining: number | undefined;
    let reason: Promise<unknown> = Promise.resolve();
    const { client } = await classifiers(async (_, context) => {
      remaining = context.timeoutMs();
      reason = waitForAbort(context);
      await sleep(30_000, undefined, { ref: false });
      return {};
    });
    const begin = performance.now();
    const error = await getFailure(client.getClassifier({}, { timeoutMs: 1_000 }));
    expect(getProblemFacts(error).code).toBe(Code.DeadlineExceeded);
    expect(performance.now() - begin).toBeLessThan(15_000);
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(1_000);
    expect([Code.DeadlineExceeded, Code.Canceled]).toContain(ConnectError.from(await reason).code);
  });

  it("gives handlers no deadline that the caller did not set", async () => {
    let remaining: number | undefined = 0;
    const { client } = await classifiers(async (_, context) => {
      remaining = context.timeoutMs();
      return {};
    });
    await client.getClassifier({});
    expect(remaining).toBeUndefined();
  });

  it("aborts the handler when the caller gives up, quietly", async () => {
    const printed = printedErrors();
    const abort = new AbortController();
    let reason: Promise<unknown> | undefined;
    const { client, lines } = await classifiers(async (_, context) => {
      reason = waitForAbort(context);
      abort.abort();
      await reason;
      throw new Error("interrupted");
    });
    const error = await getFailure(client.getClassifier({}, { signal: abort.signal }));
    expect(getProblemFacts(error).code).toBe(Code.Canceled);
    expect(await reason).toBeInstanceOf(Error);
    await expectSoon(() => expect(lines).toContainEqual(expect.objectContaining({ code: "CANCELED", level: 30 })));
    expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    expect(printed()).toEqual([]);
  });

  it("ends a stream of answers when the caller gives up", async () => {
    const abort = new AbortController();
    let ended = false;
    const { transport } = await reach([
      registerSome(ExtractionService, {
        async *getFileContent(_, context) {
          try {
            while (!context.signal.aborted) {
              yield { data: new Uint8Array(1) };
              await sleep(5);
            }
          } finally {
            ended = true;
          }
        },
      }),
    ]);
    const read = async () => {
      const client = createClient(ExtractionService, transport);
      for await (const { data } of client.getFileContent({}, { signal: abort.signal })) if (data.length) abort.abort();
    };
    expect(getProblemFacts(await getFailure(read())).code).toBe(Code.Canceled);
    await expectSoon(() => expect(ended).toBe(true));
  });

  it("refuses a call that was aborted before it began", async () => {
    let called = false;
    const { client } = await classifiers(async () => {
      called = true;
      return {};
    });
    const error = await getFailure(client.getClassifier({}, { signal: AbortSignal.abort() }));
    expect(getProblemFacts(error).code).toBe(Code.Canceled);
    expect(called).toBe(false);
  });

  it("keeps context values on their side", async () => {
    const key = createContextKey("unset");
    let seen = "";
    const { client } = await classifiers(async (_, context) => {
      seen = context.values.get(key);
      context.values.set(key, "server");
      return {};
    });
    const contextValues = createContextValues().set(key, "client");
    await client.getClassifier({}, { contextValues });
    expect(seen).toBe("unset");
    expect(contextValues.get(key)).toBe("client");
  });

  it("shares no message between caller and handler", async () => {
    const kept = create(ClassifierDetailSchema, { name: "kept", routes: [{ name: "first" }] });
    const { transport } = await reach([
      registerSome(ClassifierService, {
        getClassifier(request) {
          request.classifierId = "changed by the handler";
          return kept;
        },
      }),
    ]);
    const request = create(GetClassifierRequestSchema, { classifierId: "cls_1" });
    const answer = await createClient(ClassifierService, transport).getClassifier(request);
    expect(request.classifierId).toBe("cls_1");
    expect(answer).toEqual(kept);
    answer.name = "changed by the caller";
    answer.routes.pop();
    expect(kept.name).toBe("kept");
    expect(kept.routes).toHaveLength(1);
  });

  it("answers methods and services that are not there with Unimplemented", async () => {
    const { transport } = await reach([registerSome(ClassifierService, {})]);
    const missingMethod = await getFailure(createClient(ClassifierService, transport).getClassifier({}));
    const missingService = await getFailure(createClient(ExtractionService, transport).getFile({}));
    expect(getProblemFacts(missingMethod).code).toBe(Code.Unimplemented);
    expect(getProblemFacts(missingService).code).toBe(Code.Unimplemented);
  });

  it("answers removed methods by their annotation", async () => {
    const { transport } = await reach([registerSome(ConfigurationService, {})]);
    const error = await getFailure(createClient(ConfigurationService, transport).getProjectSchema({ projectId: "p" }));
    const { code, reason, metadata } = getProblemFacts(error);
    expect({ code, reason }).toEqual({ code: Code.Unimplemented, reason: "ENDPOINT_REMOVED" });
    expect(metadata["replacements"]?.split(",")).toHaveLength(2);
  });

  it("makes many calls at once", async () => {
    const { client } = await classifiers(async (id) => {
      await sleep(1);
      return { id };
    });
    const ids = Array.from({ length: 200 }, (_, index) => `cls_${index}`);
    const answers = await Promise.all(ids.map((classifierId) => client.getClassifier({ classifierId })));
    expect(answers.map(({ id }) => id)).toEqual(ids);
  });

  it("reads streams without messages", async () => {
    const { transport } = await reach([
      registerSome(ExtractionService, {
        async *getFileContent() {
          // Nothing to say.
        },
      }),
    ]);
    expect(await collect(createClient(ExtractionService, transport).getFileContent({}))).toEqual([]);
  });
}

/** What is printed to console.error from now on, which goes back to normal with the answer. */
function printedErrors(): () => unknown[][] {
  const printed: unknown[][] = [];
  const original = console.error;
  console.error = (...values: unknown[]) => void printed.push(values);
  return () => {
    console.error = original;
    return printed;
  };
}

async function expectSoon(check: () => void): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    try {
      check();
      return;
    } catch {
      await sleep(20);
    }
  }
  check();
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
