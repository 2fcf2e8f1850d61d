import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createContextKey, createContextValues } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "@switchyard/contracts/google/rpc/error_details";
import {
  ClassifierDetailSchema,
  ClassifierService,
  GetClassifierRequestSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts, notFound, problem } from "../errors.ts";
import { waitForAbort, getFailure, registerSome } from "../testing/test-services.ts";
import { type Connect, useTransport } from "../testing/transport-set-up.ts";

/**
 * Tests how a transport handles errors, deadlines, cancellation and isolation, with or without a network. `deadlineCodes` are the codes
 * with which handlers are aborted when the deadline of the call has passed.
 */
export function transportFailuresSuite(
  connect: Connect,
  deadlineCodes: readonly Code[] = [Code.DeadlineExceeded, Code.Canceled],
): void {
  const { reach, classifiers } = useTransport(connect);

  it("transmits errors completely: code, text in any script, reason, metadata, violations", async () => {
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

  it("transmits the headers and trailers of a failed call as the metadata of its error", async () => {
    const { client } = await classifiers(async (_, context) => {
      context.responseHeader.set("x-first", "begin");
      context.responseTrailer.set("x-last", "end");
      throw notFound("classifier", "clf_1");
    });
    const { metadata } = ConnectError.from(await getFailure(client.getClassifier({})));
    expect([metadata.get("x-first"), metadata.get("x-last")]).toEqual(["begin", "end"]);
  });

  it("transmits errors that quote a huge request", async () => {
    const { client } = await classifiers(async (id) => {
      throw notFound("classifier", id, "classifierId");
    });
    const error = await getFailure(client.getClassifier({ classifierId: "ä".repeat(200_000) }));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.NotFound, reason: "CLASSIFIER_NOT_FOUND" });
  });

  it("transmits an error with an unpaired surrogate", async () => {
    const { client } = await classifiers(async () => {
      throw problem(Code.NotFound, "FILE_NOT_FOUND", "half \ud83d of it");
    });
    expect(getProblemFacts(await getFailure(client.getClassifier({})))).toMatchObject({ message: "half \ufffd of it" });
  });

  it("does not reveal unexpected errors, and logs them completely", async () => {
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

  it("enforces deadlines on both sides, even if a handler ignores them", async () => {
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
    expect(deadlineCodes).toContain(ConnectError.from(await reason).code);
  });

  it("does not set a deadline for handlers if the caller did not", async () => {
    let remaining: number | undefined = 0;
    const { client } = await classifiers(async (_, context) => {
      remaining = context.timeoutMs();
      return {};
    });
    await client.getClassifier({});
    expect(remaining).toBeUndefined();
  });

  it("aborts the handler if the caller aborts, without logging an error", async () => {
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

  it("ends a server stream if the caller aborts", async () => {
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

  it("rejects a call that was aborted before it started", async () => {
    let called = false;
    const { client } = await classifiers(async () => {
      called = true;
      return {};
    });
    const error = await getFailure(client.getClassifier({}, { signal: AbortSignal.abort() }));
    expect(getProblemFacts(error).code).toBe(Code.Canceled);
    expect(called).toBe(false);
  });

  it("does not transmit context values", async () => {
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

  it("shares no messages that caller or handler could modify", async () => {
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
    const response = await createClient(ClassifierService, transport).getClassifier(request);
    expect(request.classifierId).toBe("cls_1");
    expect(response).toEqual(kept);
    const modify = () => {
      response.name = "changed by the caller";
      response.routes.pop();
    };
    // Within a process, the response is shared, and frozen in tests.
    if (response === kept) expect(modify).toThrow(TypeError);
    else modify();
    expect(kept.name).toBe("kept");
    expect(kept.routes).toHaveLength(1);
  });

  it("rejects missing methods and services with Unimplemented", async () => {
    const { transport } = await reach([registerSome(ClassifierService, {})]);
    const missingMethod = await getFailure(createClient(ClassifierService, transport).getClassifier({}));
    const missingService = await getFailure(createClient(ExtractionService, transport).getFile({}));
    expect(getProblemFacts(missingMethod).code).toBe(Code.Unimplemented);
    expect(getProblemFacts(missingService).code).toBe(Code.Unimplemented);
  });

  it("rejects removed methods with the replacements of their annotation", async () => {
    const { transport } = await reach([registerSome(ConfigurationService, {})]);
    const error = await getFailure(createClient(ConfigurationService, transport).getProjectSchema({ projectId: "p" }));
    const { code, reason, metadata } = getProblemFacts(error);
    expect({ code, reason }).toEqual({ code: Code.Unimplemented, reason: "ENDPOINT_REMOVED" });
    expect(metadata["replacements"]?.split(",")).toHaveLength(2);
  });
}

/** Records calls of console.error until the returned function is called, which restores it. */
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
