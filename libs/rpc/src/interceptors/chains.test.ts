import { setTimeout as sleep } from "node:timers/promises";
import { createClient, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { callOptions } from "../serving/call-options.ts";
import { createDirectTransport } from "../channels/direct.ts";
import { getProblemFacts, notFound, unavailable } from "../errors.ts";
import { createLogger } from "../logger.ts";
import { waitForAbort, collect, getFailure, recordingLogger, registerSome } from "../testing/test-services.ts";
import { clientInterceptors, serverInterceptors } from "./chains.ts";
import { requestIdKey } from "./request-id.ts";

function classifiers(getClassifier: (context: HandlerContext) => Promise<{ name?: string }>, timeoutMs?: number) {
  const { logger, lines } = recordingLogger();
  const transport = createDirectTransport({
    services: [registerSome(ClassifierService, { getClassifier: (_, context) => getClassifier(context) })],
    serverInterceptors: serverInterceptors({ logger }),
    interceptors: clientInterceptors(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { client: createClient(ClassifierService, transport), lines };
}

describe("the request ID", () => {
  it("is passed through a chain of calls", async () => {
    const seen: string[] = [];
    const { client: second } = classifiers(async ({ values }) => {
      seen.push(values.get(requestIdKey));
      return {};
    });
    const { client: first } = classifiers(async (context) => {
      seen.push(context.values.get(requestIdKey));
      await second.getClassifier({}, callOptions(context));
      return {};
    });
    await first.getClassifier({}, { contextValues: createContextValues().set(requestIdKey, "req-7") });
    expect(seen).toEqual(["req-7", "req-7"]);
  });

  it("is created if it is missing or invalid", async () => {
    const { client } = classifiers(async ({ values }) => ({ name: values.get(requestIdKey) }));
    const uuid = /^[0-9a-f-]{36}$/;
    expect((await client.getClassifier({})).name).toMatch(uuid);
    expect((await client.getClassifier({}, { headers: { "x-request-id": "a b" } })).name).toMatch(uuid);
    expect((await client.getClassifier({}, { headers: { "x-request-id": "x".repeat(200) } })).name).toMatch(uuid);
  });

  it("is also returned with errors", async () => {
    const { client } = classifiers(async () => {
      throw notFound("classifier", "x");
    });
    const error = await getFailure(client.getClassifier({}, { headers: { "x-request-id": "req-8" } }));
    expect((error as { metadata: Headers }).metadata.get("x-request-id")).toBe("req-8");
  });
});

describe("callOptions", () => {
  it("passes on the remaining deadline, and the cancellation of the call", async () => {
    let left: number | undefined;
    let inner: Promise<unknown> = Promise.resolve();
    const { client: second } = classifiers(async (context) => {
      left = context.timeoutMs();
      inner = waitForAbort(context);
      await sleep(60_000, undefined, { ref: false });
      return {};
    });
    const { client: first } = classifiers(async (context) => {
      await sleep(60);
      return { name: (await second.getClassifier({}, callOptions(context))).name };
    });
    const error = await getFailure(first.getClassifier({}, { timeoutMs: 2_000 }));
    expect(getProblemFacts(error).reason).toBe("DEADLINE_EXCEEDED");
    expect(left).toBeLessThan(1_950);
    await inner;
  });
});

describe("the default deadline", () => {
  it("ends calls without a deadline", async () => {
    const { client } = classifiers(async () => {
      await sleep(5_000, undefined, { ref: false });
      return {};
    }, 50);
    expect(getProblemFacts(await getFailure(client.getClassifier({}))).reason).toBe("DEADLINE_EXCEEDED");
  });

  it("is replaced by a longer deadline", async () => {
    const { client } = classifiers(async () => {
      await sleep(120);
      return { name: "late" };
    }, 50);
    expect((await client.getClassifier({}, { timeoutMs: 60_000 })).name).toBe("late");
  });

  it("does not apply to server streams", async () => {
    const transport = createDirectTransport({
      services: [
        registerSome(ExtractionService, {
          async *getFileContent() {
            await sleep(120);
            yield { data: new Uint8Array(1) };
          },
        }),
      ],
      serverInterceptors: [],
      interceptors: clientInterceptors({ timeoutMs: 50 }),
    });
    expect(await collect(createClient(ExtractionService, transport).getFileContent({}))).toHaveLength(1);
  });
});

describe("the log", () => {
  it("has one line per call, without its headers", async () => {
    const { client, lines } = classifiers(async () => ({}));
    await client.getClassifier({ classifierId: "private" }, { headers: { authorization: "Bearer swo_secret" } });
    expect(lines).toEqual([expect.objectContaining({ method: "GetClassifier", code: "OK", level: 30 })]);
    expect(JSON.stringify(lines)).not.toMatch(/swo_secret|private/);
  });

  it("has the cause of a status, which the caller does not get", async () => {
    const { client, lines } = classifiers(async () => {
      throw unavailable("STORAGE_UNAVAILABLE", "Try again.", new Error("connection to 10.0.0.7 refused"));
    });
    const error = await getFailure(client.getClassifier({}));
    expect(JSON.stringify(lines)).toContain("10.0.0.7");
    expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain("10.0.0.7");
    expect(lines).toContainEqual(expect.objectContaining({ code: "UNAVAILABLE", level: 40 }));
  });

  it.each([
    ["the driver", { name: "MongoNetworkError" }],
    ["its socket", { code: "EPIPE" }],
  ])(
    "has one warning for an unreachable database, reported as unavailable: detected by %s",
    async (_detectedBy, facts) => {
      const { client, lines } = classifiers(async () => {
        throw Object.assign(new Error("connection 7 to 10.0.0.7 closed"), facts);
      });
      const error = await getFailure(client.getClassifier({}));
      expect(getProblemFacts(error).reason).toBe("STORAGE_UNAVAILABLE");
      expect(String(error)).not.toContain("10.0.0.7");
      const [failed, ...others] = lines.filter(({ msg }) => msg !== "call");
      expect(failed).toMatchObject({
        level: 40,
        reason: "STORAGE_UNAVAILABLE",
        cause: expect.stringContaining("10.0.0.7"),
      });
      // It is not a bug, and it would be logged for every call while it lasts.
      expect([others, JSON.stringify(failed)]).toEqual([[], expect.not.stringContaining("stack")]);
    },
  );

  it("has no descriptors of a status's details", async () => {
    const { client, lines } = classifiers(async () => {
      const cause = Object.assign(new Error("a lock"), { code: 11, label: "busy", connection: { host: "10.0.0.7" } });
      throw unavailable("STORAGE_UNAVAILABLE", "Try again.", cause);
    });
    await getFailure(client.getClassifier({}));
    const failed = lines.find(({ msg }) => msg === "call failed");
    expect(failed).toMatchObject({
      err: { type: "ConnectError", cause: { message: "a lock", code: 11, label: "busy" } },
    });
    expect(JSON.stringify(lines)).not.toMatch(/desc|typeName|connection/);
    expect(JSON.stringify(failed).length).toBeLessThan(10_000);
  });

  it("replaces secrets in any part of an object", () => {
    const { lines } = redacted({
      authorization: "s1",
      headers: { authorization: "s2", "x-switchyard-identity": "s3" },
    });
    expect(lines).not.toMatch(/s1|s2|s3/);
  });
});

describe("removed endpoints", () => {
  it("do not reach their handler", async () => {
    let called = false;
    const transport = createDirectTransport({
      services: [
        registerSome(ConfigurationService, {
          getProjectSchema() {
            called = true;
            return {};
          },
        }),
      ],
      serverInterceptors: serverInterceptors({ logger: recordingLogger().logger }),
    });
    const error = await getFailure(createClient(ConfigurationService, transport).getProjectSchema({}));
    expect(getProblemFacts(error).reason).toBe("ENDPOINT_REMOVED");
    expect(called).toBe(false);
  });
});

function redacted(value: object): { lines: string } {
  let lines = "";
  const destination = { write: (line: string) => (lines += line) } as unknown as NodeJS.WritableStream;
  createLogger({ name: "test", level: "info", destination }).info(value, "done");
  return { lines };
}
