import { setTimeout as sleep } from "node:timers/promises";
import { Code, createClient, decodeBinaryHeader, encodeBinaryHeader } from "@connectrpc/connect";
import { ServerReflection } from "@switchyard/contracts/grpc/reflection/v1/reflection";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { conflict, getProblemFacts, invalid } from "../errors.ts";
import { requestIdHeader } from "../interceptors/request-id.ts";
import { collect, getFailure, registerSome, toStream } from "../testing/test-services.ts";
import { type Connect, useTransport } from "../testing/transport-set-up.ts";

/** Tests a transport to a service, with or without a network. */
export function transportSuite(connect: Connect): void {
  const { reach, classifiers } = useTransport(connect);

  it("makes unary calls", async () => {
    const { client } = await classifiers(async (id) => ({ id, name: "Belege – 請求書", classificationCount: 7 }));
    const classifier = await client.getClassifier({ classifierId: "cls_1" });
    expect(classifier).toMatchObject({ id: "cls_1", name: "Belege – 請求書", classificationCount: 7, routes: [] });
  });

  it("transmits headers in both directions and trailers, including binary ones", async () => {
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

  it("transmits the request ID, and returns it", async () => {
    const { client, lines } = await classifiers(async () => ({}));
    let header = new Headers();
    await client.getClassifier({}, { headers: { [requestIdHeader]: "req-1" }, onHeader: (value) => (header = value) });
    expect(header.get(requestIdHeader)).toBe("req-1");
    expect(lines).toContainEqual(
      expect.objectContaining({ method: "GetClassifier", code: "OK", requestId: "req-1", ms: expect.any(Number) }),
    );
  });

  it("streams responses in order, and then an error", async () => {
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

  it("streams requests of several megabytes", async () => {
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

  it("lets a handler reject a client stream before its end", async () => {
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

  it("streams in both directions at the same time", async () => {
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
    for await (const response of createClient(ServerReflection, transport).serverReflectionInfo(requests())) {
      hosts.push(response.validHost);
      heard.resolve();
    }
    expect(hosts).toEqual(["a!", "b!"]);
  });

  it("makes many concurrent calls", async () => {
    const { client } = await classifiers(async (id) => {
      await sleep(1);
      return { id };
    });
    const ids = Array.from({ length: 200 }, (_, index) => `cls_${index}`);
    const responses = await Promise.all(ids.map((classifierId) => client.getClassifier({ classifierId })));
    expect(responses.map(({ id }) => id)).toEqual(ids);
  });

  it("supports streams without messages", async () => {
    const { transport } = await reach([
      registerSome(ExtractionService, {
        async *getFileContent() {
          // This stream has no messages.
        },
      }),
    ]);
    expect(await collect(createClient(ExtractionService, transport).getFileContent({}))).toEqual([]);
  });
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
