import { createContextValues } from "@connectrpc/connect";
import type { HandlerContext } from "@connectrpc/connect";
import { ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { openEngines } from "@switchyard/engines";
import { engineDefinition, startEndpoint } from "@switchyard/engines/testing";
import type { Misbehavior, ReceivedQuestion, TestEndpoint } from "@switchyard/engines/testing";
import { getProblemFacts } from "@switchyard/rpc";
import { UNCALIBRATED } from "../../domain/engines/calibration.ts";
import type { Calibration } from "../../domain/engines/calibration.ts";
import { classifier, route } from "../../testing/documents.ts";
import { routeDocument } from "../classifications/routing.ts";
import type { Scorers } from "../classifications/scorers.ts";
import type { Targets } from "../routes/targets.ts";
import { createEngineChoice } from "./engine-choice.ts";
import { createWaitingLimit } from "./waiting-limit.ts";

const invoices = { ...route("mdl_invoices"), name: "Invoices" };
const contracts = { ...route("mdl_contracts"), name: "Contracts" };
const routes = [invoices, contracts];

describe("the engines of a classifier", () => {
  let endpoint: TestEndpoint;
  let answer: (question: ReceivedQuestion) => unknown;
  let engines: ReturnType<typeof openEngines>;
  let localScores: readonly [number, number];
  let calibration: Calibration;
  let count = 0;

  beforeAll(async () => {
    endpoint = await startEndpoint({ answer: (question) => answer(question) });
  });
  afterAll(() => endpoint.close());

  beforeEach(() => {
    // New for each test, because a circuit remembers failures.
    engines = open();
    answer = choose(invoices.id);
    localScores = [0.9, 0.1];
    calibration = UNCALIBRATED;
    endpoint.behave(undefined);
  });
  afterEach(() => engines.close());

  function open(timeoutSeconds = 60) {
    const fields = { timeoutSeconds, models: ["large", "small"], inputPrice: 1, outputPrice: 2 };
    return openEngines({ definitions: [engineDefinition(endpoint.baseUrl, fields)], pauseMs: 1 });
  }

  const choose = (id: string) => () => ({ reason: "It says so.", quotes: ["net 30 days", "nowhere"], route: id });

  const scorers: Pick<Scorers, "score"> = {
    score: async () => ({
      scores: routes.map(({ id }, index) => ({
        ...{ routeId: id, score: localScores[index] ?? 0, strength: 1, matchedTerms: 1, evidence: [] },
      })),
      ...{ version: "2+local", learnedFrom: 3 },
    }),
  };

  const openChoice = (waiting: number) =>
    createEngineChoice({
      ...{ scorers, engines },
      calibrations: { find: async () => calibration },
      waitingLimit: createWaitingLimit(waiting),
    });

  /** Decides a document that no test has used before, so that no answer is cached. */
  async function decide(
    settings: object,
    {
      paused = false,
      among = routes,
      waiting = 24,
      timeoutMs = 60_000,
      text = "",
      signal = new AbortController().signal,
    } = {},
  ) {
    count += 1;
    const named = { ...classifier("Inbox", "prj_a", among), settings: { ...classifier("x").settings, ...settings } };
    const targets = {
      get: ({ modelId, deploymentId }) => ({
        model: {
          status: paused && modelId === invoices.modelId ? ModelStatus.PAUSED : ModelStatus.ACTIVE,
          schemaId: "sch_1",
          columnNames: ["Total"],
        },
        ...(deploymentId === null ? {} : { deployment: { status: ModelStatus.PAUSED, schemaId: "sch_1" } }),
      }),
    } as Targets;
    const context = { signal, values: createContextValues(), timeoutMs: () => timeoutMs };
    const chosen = openChoice(waiting).open(named, targets, context as HandlerContext);
    return routeDocument(named, targets, chosen, { text: text || `Document ${String(count)}, net 30 days` }, true);
  }

  const failure = async (decision: Promise<unknown>) =>
    getProblemFacts(await decision.then(() => undefined).catch((error: unknown) => error)).reason;

  it("decides by the local engine without a question", async () => {
    const asked = endpoint.questions.length;
    expect(await decide({ secondOpinion: { engine: "test", modelName: null } })).toMatchObject({
      decision: { status: "CLASSIFIED", routeId: invoices.id, confidence: 0.9 },
      engine: { name: "local", modelName: null, version: "2+local", learnedFrom: 3, secondOpinion: null },
      ...{ usage: null, choices: [] },
    });
    expect(endpoint.questions.length).toBe(asked);
  });

  it("decides by a language model at temperature 0, whose confidence is 0.5 or calibrated", async () => {
    const routing = await decide({ engine: "test", modelName: "small" });
    expect(routing).toMatchObject({
      decision: { status: "CLASSIFIED", routeId: invoices.id, confidence: 0.5, threshold: 0.45, margin: 1 },
      engine: { name: "test", modelName: "small", version: "2", learnedFrom: 0, secondOpinion: null },
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), cost: expect.any(Number) },
      choices: [{ engine: "test", modelName: "small", version: "2", routeId: invoices.id }],
    });
    expect(routing.scores).toMatchObject([
      { routeId: invoices.id, score: 0.5, evidence: [{ term: "net 30 days", weight: 0.5 }] },
      { routeId: contracts.id, score: 0, evidence: [] },
    ]);
    expect(endpoint.questions.at(-1)).toMatchObject({ model: "small", temperature: 0 });
    expect(endpoint.questions.at(-1)?.schema?.properties?.["route"]?.enum).toEqual([
      ...routes.map(({ id }) => id),
      "NONE",
    ]);

    calibration = { total: 100, right: 95 };
    expect(await decide({ engine: "test", minConfidence: 0.9 })).toMatchObject({
      decision: { status: "CLASSIFIED", confidence: 0.9412, threshold: 0.9 },
      engine: { modelName: "large", version: "2+95of100", learnedFrom: 100 },
    });
  });

  it("asks once about the same document", async () => {
    const asked = endpoint.questions.length;
    const [first, again] = [
      await decide({ engine: "test" }, { text: "Twice, net 30 days" }),
      await decide({ engine: "test" }, { text: "Twice, net 30 days" }),
    ];
    expect(endpoint.questions.length).toBe(asked + 1);
    expect(again).toMatchObject({ decision: first.decision, usage: { inputTokens: 0, outputTokens: 0 } });
  });

  it("applies the thresholds to a language model too, and explains why it chose none", async () => {
    expect((await decide({ engine: "test", minConfidence: 0.6 })).decision).toMatchObject({
      ...{ status: "UNCLASSIFIED", reason: "BELOW_THRESHOLD", confidence: 0.5 },
    });
    answer = choose("NONE");
    const { decision, choices } = await decide({ engine: "test" });
    expect(decision).toMatchObject({ status: "UNCLASSIFIED", reason: "NO_MATCH", confidence: 0, threshold: 0.45 });
    expect(decision).toHaveProperty("message", "The engine test found that none of the routes fits: “It says so.”");
    expect(choices).toEqual([]);
  });

  it("trusts no choice without words of the document, alone or as a second opinion, whatever is known about the engine", async () => {
    answer = () => ({ reason: "It is one.", quotes: ["net", "30", "paid in full"], route: invoices.id });
    calibration = { total: 1_000, right: 1_000 };
    const { decision, scores, choices } = await decide({ engine: "test", minConfidence: 0, minMargin: 0 });
    expect(decision).toMatchObject({ status: "UNCLASSIFIED", reason: "NO_MATCH", confidence: 0 });
    const message = "The engine test chose “Invoices”, but quoted no words of the document that show it.";
    expect(decision).toHaveProperty("message", message);
    expect([scores.map(({ score }) => score), choices]).toEqual([[0, 0], []]);
    localScores = [0.3, 0.1];
    expect(await decide({ secondOpinion: { engine: "test", modelName: null } })).toMatchObject({
      decision: { status: "UNCLASSIFIED", reason: "BELOW_THRESHOLD", confidence: 0.3 },
      engine: { name: "local", secondOpinion: { outcome: "NONE" } },
      choices: [],
    });
  });

  it("takes the route to the model if a language model chooses that to its paused deployment", async () => {
    const served = { ...route(invoices.modelId, "dep_invoices"), name: "Served invoices" };
    answer = choose(served.id);
    const { decision, scores, choices } = await decide({ engine: "test" }, { among: [served, ...routes] });
    expect(decision).toMatchObject({ status: "CLASSIFIED", routeId: invoices.id, confidence: 0.5, margin: 1 });
    expect(scores).toMatchObject([
      { routeId: served.id, score: 0.5, excluded: "DEPLOYMENT_PAUSED" },
      { routeId: invoices.id, score: 0.5, excluded: null, evidence: [{ term: "net 30 days" }] },
      { routeId: contracts.id, score: 0 },
    ]);
    // A review that confirms the route says that the choice was right.
    expect(choices).toMatchObject([{ routeId: invoices.id }]);
  });

  it("shows that a paused route would have won, and offers it to no second opinion", async () => {
    const { decision, scores } = await decide({ engine: "test" }, { paused: true });
    expect(decision).toMatchObject({ status: "UNCLASSIFIED", reason: "NO_MATCH", confidence: 0 });
    expect(decision).toHaveProperty(
      "message",
      expect.stringContaining("“Invoices” (0.50) fits better, but its model is paused"),
    );
    expect(scores[0]).toMatchObject({ routeId: invoices.id, score: 0.5, excluded: "MODEL_PAUSED" });
    localScores = [0.9, 0.2];
    answer = choose(contracts.id);
    const second = await decide({ secondOpinion: { engine: "test", modelName: null } }, { paused: true });
    expect(second).toMatchObject({
      decision: { routeId: contracts.id },
      engine: { secondOpinion: { outcome: "DECIDED" } },
    });
    expect(endpoint.questions.at(-1)?.schema?.properties?.["route"]?.enum).toEqual([contracts.id, "NONE"]);
  });

  it("lets the second opinion decide what the first engine leaves open", async () => {
    for (const [scores, reason] of [
      [[0.05, 0.04], "NO_MATCH"],
      [[0.3, 0.1], "BELOW_THRESHOLD"],
      [[0.6, 0.59], "AMBIGUOUS"],
    ] as const) {
      localScores = scores;
      const alone = await decide({});
      expect(alone.decision).toMatchObject({ status: "UNCLASSIFIED", reason });
      answer = choose(contracts.id);
      const settings = { secondOpinion: { engine: "test", modelName: "small" } };
      expect(await decide(settings)).toMatchObject({
        decision: { status: "CLASSIFIED", routeId: contracts.id, confidence: 0.5, margin: 1 },
        engine: {
          ...{ name: "test", modelName: "small", version: "2", learnedFrom: 0 },
          secondOpinion: { name: "test", modelName: "small", outcome: "DECIDED" },
        },
        choices: [{ routeId: contracts.id }],
      });
      answer = choose("NONE");
      expect(await decide(settings)).toMatchObject({
        ...{ decision: alone.decision, scores: alone.scores, choices: [] },
        engine: { ...alone.engine, secondOpinion: { name: "test", modelName: "small", outcome: "NONE" } },
        usage: { inputTokens: expect.any(Number) },
      });
      answer = choose(contracts.id);
      expect(await decide({ ...settings, minConfidence: 0.7 })).toMatchObject({
        decision: { status: "UNCLASSIFIED", threshold: 0.7, confidence: scores[0] },
        engine: { name: "local", secondOpinion: { outcome: "NONE" } },
        // Its review still calibrates the engine.
        choices: [{ engine: "test", routeId: contracts.id }],
      });
    }
  });

  const failures: readonly [string, Misbehavior][] = [
    ["ENGINE_UNREACHABLE", { kind: "status", status: 503 }],
    ["ENGINE_UNREACHABLE", { kind: "status", status: 429, retryAfter: "120" }],
    ["ENGINE_UNREACHABLE", { kind: "broken" }],
    ["ENGINE_TIMEOUT", { kind: "hang" }],
    ["ENGINE_REFUSED", { kind: "refusal" }],
    ["ENGINE_REFUSED", { kind: "filter" }],
    ["ENGINE_REFUSED", { kind: "status", status: 400 }],
    ["ENGINE_ANSWER_INVALID", { kind: "cut" }],
    ["ENGINE_ANSWER_INVALID", { kind: "text", text: '{"route": "rte_of_another_classifier"}' }],
  ];
  it.each(failures)(
    "fails with %s if the endpoint answers with %o; a second opinion leaves the first decision",
    async (code, behavior) => {
      const timeoutSeconds = behavior.kind === "hang" ? 1 : 60;
      engines = open(timeoutSeconds);
      endpoint.behave(() => behavior);
      expect(await failure(decide({ engine: "test" }))).toBe(code);
      localScores = [0.3, 0.1];
      const alone = await decide({});
      await engines.close();
      engines = open(timeoutSeconds);
      expect(await decide({ secondOpinion: { engine: "test", modelName: null } })).toMatchObject({
        ...{ decision: alone.decision, scores: alone.scores },
        engine: { ...alone.engine, secondOpinion: { name: "test", modelName: "large", outcome: code } },
      });
    },
  );

  it("fails if the operator has removed the engine or the model, and before the call itself would", async () => {
    expect(await failure(decide({ engine: "gone" }))).toBe("ENGINE_UNREACHABLE");
    expect(await failure(decide({ engine: "test", modelName: "gone" }))).toBe("ENGINE_UNREACHABLE");
    endpoint.behave(() => ({ kind: "hang" }));
    const started = performance.now();
    expect(await failure(decide({ engine: "test" }, { timeoutMs: 200 }))).toBe("ENGINE_TIMEOUT");
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it("ends a request at the endpoint when nobody waits for the answer any more", async () => {
    const active = () => endpoint.counts.active;
    await expect.poll(active).toBe(0);
    const { abandoned } = endpoint.counts;
    const caller = new AbortController();
    endpoint.behave(() => ({ kind: "hang" }));
    const waiting = decide({ engine: "test" }, { signal: caller.signal }).catch((error: unknown) => error);
    await expect.poll(active).toBe(1);
    caller.abort(new Error("nobody waits"));
    expect(await waiting).toMatchObject({ message: "nobody waits" });
    await expect.poll(active).toBe(0);
    expect(endpoint.counts.abandoned).toBe(abandoned + 1);
  });

  it("refuses at once what would wait behind too many others", async () => {
    const admit = (settings: object, waiting: number) => () =>
      openChoice(waiting).admit({ ...classifier("Inbox"), settings: { ...classifier("x").settings, ...settings } });
    expect(admit({ engine: "test" }, 0)).toThrow("Too many documents are waiting for the engine test.");
    expect(admit({ engine: "test" }, 1)).not.toThrow();
    expect(admit({ secondOpinion: { engine: "test", modelName: null } }, 0)).not.toThrow();
    expect(await failure(decide({ engine: "test" }, { waiting: 0 }))).toBe("ENGINE_UNREACHABLE");
    localScores = [0.3, 0.1];
    expect(await decide({ secondOpinion: { engine: "test", modelName: null } }, { waiting: 0 })).toMatchObject({
      engine: { secondOpinion: { outcome: "ENGINE_UNREACHABLE" } },
    });
  });
});
