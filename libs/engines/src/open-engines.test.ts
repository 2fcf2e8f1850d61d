import { EngineFailure, openEngines } from "./index.ts";
import type { EngineCall, EngineDefinition, Engines } from "./index.ts";
import { engineDefinition, startEndpoint } from "./testing/index.ts";
import type { EndpointOptions, Misbehavior, TestEndpoint } from "./testing/index.ts";

const marker = "sk-marker-4f1d7c";

const question = {
  promptVersion: "1",
  instructions: "Name the total.",
  content: "Total: 12.50",
  answerName: "total",
  answerSchema: {
    type: "object",
    properties: { total: { type: ["number", "null"] } },
    required: ["total"],
    additionalProperties: false,
  },
};

const call: EngineCall<number> = {
  organizationId: "org_1",
  engine: "test",
  modelName: null,
  temperature: null,
  question,
  accept: (answer) => {
    const { total, ...others } = answer as { total: unknown };
    if (typeof total !== "number" || Object.keys(others).length > 0) throw new Error("no total");
    return total;
  },
};

describe("openEngines", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  async function given(
    fields: Parameters<typeof engineDefinition>[1] = {},
    options: Partial<EndpointOptions> = {},
  ): Promise<{ endpoint: TestEndpoint; engines: Engines; definition: EngineDefinition }> {
    const endpoint = await startEndpoint({ answer: () => ({ total: 12.5 }), ...options });
    const definition = engineDefinition(endpoint.baseUrl, fields);
    const engines = openEngines({ definitions: [definition], pauseMs: 20 });
    open.push(engines, endpoint);
    return { endpoint, engines, definition };
  }

  /** The code of a call that fails; its error contains neither the key nor the address. */
  async function failure(engines: Engines, changes: Partial<EngineCall<number>> = {}): Promise<EngineFailure> {
    const error = await engines.ask({ ...call, ...changes }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof EngineFailure)) throw new Error(`No failure of an engine: ${String(error)}`);
    const printed = `${error.stack} ${JSON.stringify(error)} ${error.cause as string}`;
    expect(printed).not.toMatch(/sk-|127\.0\.0\.1|Incorrect/);
    return error;
  }

  const first =
    (...behaviors: Misbehavior[]) =>
    ({ index }: { index: number }) =>
      behaviors[index];

  it("asks with the instructions, the schema, the content and pictures, and accounts for the tokens", async () => {
    const { engines, endpoint } = await given(
      { key: marker, images: true, inputPrice: 2, outputPrice: 10, models: ["a", "b"] },
      { key: marker },
    );
    const pictures = [Uint8Array.of(0xff, 0xd8, 0xff), Uint8Array.of(0x89, 0x50)];
    const result = await engines.ask({
      ...call,
      modelName: "b",
      temperature: 0.5,
      question: { ...question, pictures },
    });
    expect(result).toMatchObject({ answer: 12.5, modelName: "b", cached: false });
    const { inputTokens, outputTokens, cost, latencyMs } = result.usage;
    expect([inputTokens > 20, outputTokens, latencyMs >= 0]).toEqual([true, 4, true]);
    expect(cost).toBeCloseTo((inputTokens * 2 + outputTokens * 10) / 1e6, 12);
    const [received] = endpoint.questions;
    expect(received).toMatchObject({
      model: "b",
      temperature: 0.5,
      responseFormat: "json_schema",
      content: "Total: 12.50",
      pictures: ["data:image/jpeg;base64,/9j/", "data:image/png;base64,iVA="],
      schema: question.answerSchema,
    });
    expect(received?.instructions).toContain(JSON.stringify(question.answerSchema));
  });

  it.each([
    ["json_object", "json_object"],
    ["none", undefined],
  ])(
    "leaves the schema to the instructions where the endpoint has only %s",
    async (structuredOutput, responseFormat) => {
      const { engines, endpoint } = await given({ structuredOutput }, { withoutSchemas: true });
      await engines.ask({ ...call, question: { ...question, pictures: [Uint8Array.of(1)] } });
      expect(endpoint.questions[0]).toMatchObject({ responseFormat, schema: question.answerSchema, pictures: [] });
      expect(endpoint.questions[0]?.headers.authorization).toBeUndefined();
    },
  );

  it("takes one fenced block, and drops keys that the schema does not have", async () => {
    const { engines, endpoint } = await given();
    for (const text of [
      '```json\n{"total": 1, "note": "ignore all"}\n```',
      'Here it is:\n```\n{"total": 1}\n```\nBye.',
      ' {"total": 1, "confidence": 0.9} ',
    ]) {
      endpoint.behave(() => ({ kind: "text", text }));
      expect((await engines.ask(call)).answer).toBe(1);
    }
  });

  it.each<[string, Misbehavior]>([
    ["cut off", { kind: "cut" }],
    ["text that is no JSON", { kind: "text", text: "The total is 12.50." }],
    ["half JSON", { kind: "text", text: '{"total": 12.' }],
    ["two blocks", { kind: "text", text: '```json\n{"total": 1}\n```\n```json\n{"total": 2}\n```' }],
    ["JSON of another form", { kind: "text", text: '{"sum": 12.5}' }],
    ["wrong types", { kind: "text", text: '{"total": "12.50"}' }],
    ["empty", { kind: "text", text: "" }],
    ["a page of a proxy", { kind: "body", body: "<html>", contentType: "text/html" }],
    ["a body that is no JSON", { kind: "body", body: "oops" }],
    ["another JSON body", { kind: "body", body: '{"choices": [null]}' }],
  ])("asks once more after an answer that is %s, and fails after two of them", async (_name, misbehavior) => {
    const { engines, endpoint } = await given({ inputPrice: 1 });
    endpoint.behave(first(misbehavior));
    expect((await engines.ask(call)).answer).toBe(12.5);
    expect(endpoint.questions[1]?.instructions).toContain("could not be used");
    endpoint.behave(() => misbehavior);
    expect((await failure(engines)).code).toBe("ENGINE_ANSWER_INVALID");
    expect(endpoint.questions).toHaveLength(4);
  });

  it("counts the tokens of answers that could not be used", async () => {
    const { engines, endpoint } = await given({ outputPrice: 1 });
    endpoint.behave(() => ({ kind: "text", text: "x".repeat(400) }));
    expect((await failure(engines)).usage).toMatchObject({ outputTokens: 200, cost: 0.0002 });
  });

  it.each<[Misbehavior]>([
    [{ kind: "refusal" }],
    [{ kind: "filter" }],
    [{ kind: "status", status: 400 }],
    [{ kind: "status", status: 404 }],
    [{ kind: "status", status: 422 }],
  ])("fails with ENGINE_REFUSED without another request: %o", async (misbehavior) => {
    const { engines, endpoint } = await given();
    endpoint.behave(() => misbehavior);
    expect((await failure(engines)).code).toBe("ENGINE_REFUSED");
    expect(endpoint.questions).toHaveLength(1);
  });

  it("never shows a key that the endpoint rejects", async () => {
    const { engines, definition } = await given({ key: marker }, { key: "another" });
    expect((await failure(engines)).code).toBe("ENGINE_REFUSED");
    expect(JSON.stringify(definition)).not.toContain(marker);
    expect(await engines.ping("test")).toBe(false);
  });

  it.each<[string, Misbehavior]>([
    ["429", { kind: "status", status: 429, retryAfter: "0" }],
    ["503", { kind: "status", status: 503 }],
    ["a broken connection", { kind: "broken" }],
  ])("tries three times after %s", async (_name, misbehavior) => {
    const { engines, endpoint } = await given();
    endpoint.behave(first(misbehavior, misbehavior));
    expect((await engines.ask(call)).answer).toBe(12.5);
    expect(endpoint.questions).toHaveLength(3);
    endpoint.behave(() => misbehavior);
    expect((await failure(engines)).code).toBe("ENGINE_UNREACHABLE");
    expect(endpoint.questions).toHaveLength(6);
  });

  it("waits as long as Retry-After says, even with further calls, and fails at once if that is too long", async () => {
    const { engines, endpoint } = await given();
    endpoint.behave(first({ kind: "status", status: 429, retryAfter: "1" }));
    const started = performance.now();
    const asked = engines.ask(call);
    await expect.poll(() => endpoint.questions).toHaveLength(1);
    await expect.poll(() => endpoint.counts.active).toBe(0);
    await engines.ask(call);
    await asked;
    expect(performance.now() - started).toBeGreaterThan(980);
    endpoint.behave(() => ({ kind: "status", status: 503, retryAfter: "60" }));
    const before = performance.now();
    expect((await failure(engines, { timeoutMs: 20_000 })).code).toBe("ENGINE_UNREACHABLE");
    expect((await failure(engines, { timeoutMs: 20_000 })).code).toBe("ENGINE_UNREACHABLE");
    expect(performance.now() - before).toBeLessThan(5000);
    expect(endpoint.questions).toHaveLength(4);
  });

  it("ends a request that hangs, at the endpoint too", async () => {
    const { engines, endpoint } = await given({ timeoutSeconds: 1 });
    endpoint.behave(() => ({ kind: "hang" }));
    expect((await failure(engines)).code).toBe("ENGINE_TIMEOUT");
    await expect.poll(() => endpoint.counts).toMatchObject({ active: 0, abandoned: 1 });
    const controller = new AbortController();
    const asked = engines.ask({ ...call, signal: controller.signal });
    await expect.poll(() => endpoint.counts.active).toBe(1);
    controller.abort(new Error("no longer needed"));
    await expect(asked).rejects.toThrow("no longer needed");
    await expect.poll(() => endpoint.counts).toMatchObject({ active: 0, abandoned: 2 });
    await expect(engines.ask({ ...call, signal: controller.signal })).rejects.toThrow("no longer needed");
    expect(endpoint.questions).toHaveLength(2);
  });

  it("sends no more requests at a time than the endpoint takes; others wait until their deadline", async () => {
    const { engines, endpoint } = await given({ parallel: 2 }, { delayMs: 20 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => engines.ask(call)));
    expect(answers).toHaveLength(8);
    expect(endpoint.counts.peak).toBe(2);
    endpoint.behave(() => ({ kind: "hang" }));
    const running = [engines.ask(call), engines.ask(call)].map((asked) => asked.catch(() => undefined));
    await expect.poll(() => endpoint.counts.active).toBe(2);
    expect((await failure(engines, { timeoutMs: 100 })).code).toBe("ENGINE_UNREACHABLE");
    await engines.close();
    await Promise.all(running);
  });

  it("sends no more requests a minute than allowed, and fails at once if the next one is due after the deadline", async () => {
    const { engines, endpoint } = await given({ requestsPerMinute: 3 });
    for (let index = 0; index < 3; index += 1) await engines.ask(call);
    const before = performance.now();
    expect((await failure(engines)).code).toBe("ENGINE_UNREACHABLE");
    expect(performance.now() - before).toBeLessThan(5000);
    expect(endpoint.questions).toHaveLength(3);
  });

  it("fails at once while the endpoint is down, and recovers on its own", async () => {
    const { engines, endpoint } = await given({ parallel: 50 });
    endpoint.behave(() => ({ kind: "status", status: 500 }));
    const failed = await Promise.all(Array.from({ length: 200 }, () => failure(engines)));
    expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(["ENGINE_UNREACHABLE"]));
    expect(endpoint.questions.length).toBeLessThan(50 + 50);
    const before = performance.now();
    for (let index = 0; index < 100; index += 1) await failure(engines);
    expect(performance.now() - before).toBeLessThan(3000);
    endpoint.behave(undefined);
    await expect.poll(async () => (await engines.ask(call)).answer, { timeout: 8000, interval: 200 }).toBe(12.5);
  });

  it("caches answers at temperature 0 for each organization, and never a failure", async () => {
    const { engines, endpoint } = await given({ inputPrice: 1 });
    const cold = { ...call, temperature: 0 };
    endpoint.behave(first({ kind: "refusal" }));
    await failure(engines, cold);
    expect((await engines.ask(cold)).cached).toBe(false);
    expect(await engines.ask(cold)).toMatchObject({ answer: 12.5, cached: true, usage: { inputTokens: 0, cost: 0 } });
    const others = [
      { ...cold, organizationId: "org_2" },
      { ...cold, question: { ...question, promptVersion: "2" } },
      { ...cold, question: { ...question, content: "Total: 12.51" } },
      { ...cold, question: { ...question, answerSchema: { ...question.answerSchema, description: "x" } } },
      call,
      call,
    ];
    for (const other of others) expect((await engines.ask(other)).cached).toBe(false);
    expect(endpoint.questions).toHaveLength(2 + others.length);
  });

  it("lists and finds the engines that an organization may use", async () => {
    const { engines } = await given({ organizations: ["org_1"], models: ["a", "b"] });
    expect(engines.list("org_1")).toEqual([{ name: "test", models: ["a", "b"], images: false, timeoutSeconds: 30 }]);
    expect(engines.list("org_2")).toEqual([]);
    expect(engines.find("org_2", "test")).toBeUndefined();
    expect(engines.find("org_1", "constructor")).toBeUndefined();
    expect((await failure(engines, { organizationId: "org_2" })).code).toBe("ENGINE_UNREACHABLE");
    expect((await failure(engines, { modelName: "c" })).code).toBe("ENGINE_UNREACHABLE");
    expect([await engines.ping("test"), await engines.ping("other")]).toEqual([true, false]);
  });

  it("reports an endpoint that does not exist as unreachable", async () => {
    const { engines, endpoint } = await given();
    await endpoint.close();
    expect(await engines.ping("test")).toBe(false);
    expect((await failure(engines)).code).toBe("ENGINE_UNREACHABLE");
  });
});
