import { createClient } from "@connectrpc/connect";
import type { ServiceImpl } from "@connectrpc/connect";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import {
  createDirectTransport,
  createLogger,
  deadlineExceeded,
  getProblemFacts,
  invalid,
  register,
  serverInterceptors,
} from "@switchyard/rpc";
import { connect } from "node:net";
import { setImmediate as later } from "node:timers/promises";
import { createMethodLimiters, withConcurrencyLimits } from "./method-limiters.ts";
import { startTestGateway } from "../testing/test-gateway.ts";

const limits = { maxConcurrent: 1, maxWaiting: 2, maxWaitMs: 10_000, targetLatencyMs: 10_000 };

/** Returns a client of a service with this upload, behind concurrency limits. */
function getClient(uploadFile: ServiceImpl<typeof ExtractionService>["uploadFile"]) {
  const transport = createDirectTransport({
    services: [register(ExtractionService, { uploadFile } as ServiceImpl<typeof ExtractionService>)],
    serverInterceptors: serverInterceptors({ logger: createLogger({ name: "test", level: "silent" }) }),
  });
  return createClient(ExtractionService, withConcurrencyLimits(transport, createMethodLimiters(limits)));
}

/** Returns an upload of one message, and a promise that resolves when all of it has been requested. */
function upload(filename: string) {
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  async function* messages() {
    yield { filename, last: true };
    resolve();
  }
  return { messages: messages(), sent };
}

describe("the limiters of methods", () => {
  it("have others for classifiers whose documents wait for language models", () => {
    const getLimiter = createMethodLimiters(limits);
    const method = ExtractionService.method.createExtraction;
    getLimiter.noteEngine({ classifierId: "clf_1" });
    getLimiter.noteEngine({ fileId: "fil_1" });
    const [own, other] = [getLimiter(method), getLimiter(method, { classifierId: "clf_1" })];
    expect(other).not.toBe(own);
    expect(getLimiter(method, { classifierId: "clf_1" })).toBe(other);
    for (const request of [{ classifierId: "clf_2" }, {}, undefined]) expect(getLimiter(method, request)).toBe(own);
  });
});

describe("the limiter of uploads", () => {
  it("releases the place of an upload whose service failed while the upload waited", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const failing = upload("failing");
    const client = getClient(async (requests) => {
      const messages = requests[Symbol.asyncIterator]();
      const { filename = "" } = (await messages.next()).value ?? {};
      const end = messages.next();
      end.catch(() => undefined);
      if (filename === "failing") {
        await failing.sent;
        await later();
        throw invalid([{ field: "filename", message: "is refused" }]);
      }
      await end;
      if (filename === "first") {
        begin();
        await released;
      }
      return { filename };
    });

    const first = client.uploadFile(upload("first").messages);
    await begun;
    const error = await client.uploadFile(failing.messages).catch((thrown: unknown) => thrown);
    expect(getProblemFacts(error).reason).toBe("INVALID_REQUEST");
    const next = client.uploadFile(upload("next").messages);
    release();
    expect((await first).filename).toBe("first");
    expect((await next).filename).toBe("next");
    expect((await client.uploadFile(upload("last").messages)).filename).toBe("last");
  });
});

describe("the limiter of unary calls", () => {
  it("makes no calls for clients that no longer wait, and aborts the call in progress", async () => {
    const began: string[] = [];
    let isAborted = false;
    const { promise: first, resolve: begin } = Promise.withResolvers<void>();
    const getFile: ServiceImpl<typeof ExtractionService>["getFile"] = async ({ fileId }, { signal }) => {
      began.push(fileId);
      if (fileId !== "first") return { id: fileId };
      begin();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      isAborted = true;
      return { id: fileId };
    };
    const transport = createDirectTransport({
      services: [register(ExtractionService, { getFile } as ServiceImpl<typeof ExtractionService>)],
      serverInterceptors: serverInterceptors({ logger: createLogger({ name: "test", level: "silent" }) }),
    });
    const client = createClient(ExtractionService, withConcurrencyLimits(transport, createMethodLimiters(limits)));
    const gone = new AbortController();
    const late = new AbortController();
    const getReason = (fileId: string, signal?: AbortSignal) =>
      client.getFile({ fileId }, signal === undefined ? {} : { signal }).then(
        () => "OK",
        (error: unknown) => getProblemFacts(error).reason,
      );
    const abandoned = [getReason("first", gone.signal)];
    await first;
    abandoned.push(getReason("second", gone.signal), getReason("third", late.signal));
    // As the server does when the deadline of a call has passed.
    late.abort(deadlineExceeded());
    gone.abort();
    expect(await Promise.all(abandoned)).toEqual(["CANCELED", "CANCELED", "DEADLINE_EXCEEDED"]);
    expect(await getReason("last")).toBe("OK");
    expect(began).toEqual(["first", "last"]);
    expect(isAborted).toBe(true);
  });
});

describe("a call that its limiter would reject", () => {
  it.each([
    ["REST", "/api/v1/classify/clf_1"],
    ["Connect", "/switchyard.classifier.v1.ClassifierService/Classify"],
  ])("is rejected after its headers, before its body is read: %s", async (_, path) => {
    const system = await startTestGateway({ maxCallsPerMethod: 0, maxWaitingPerMethod: 0 });
    /** Sends only the headers of a request and returns the response. */
    const respondTo = (authorization: string) =>
      new Promise<string>((resolve, reject) => {
        const head = [`POST ${path} HTTP/1.1`, "host: x", "content-type: application/json", "content-length: 1000"];
        const socket = connect(system.gateway.port, "127.0.0.1");
        let response = "";
        socket.on("error", reject).on("data", (piece) => {
          response += piece.toString();
          if (!/\}(\r\n0\r\n\r\n)?$/.test(response)) return;
          socket.destroy();
          resolve(response);
        });
        socket.write([...head, authorization, "", ""].join("\r\n"));
      });
    const refused = await respondTo(`authorization: Bearer ${system.token}`);
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/retry-after: 1\r/i);
    expect(refused).toContain(path.startsWith("/api") ? "OVERLOADED" : "unavailable");
    expect(await respondTo("x-no-token: 1")).toMatch(/^HTTP\/1\.1 401 /);
    await system.stop();
  });
});
