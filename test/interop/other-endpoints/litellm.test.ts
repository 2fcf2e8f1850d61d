import { startEndpoint } from "@switchyard/engines/testing";
import type { ReceivedQuestion } from "@switchyard/engines/testing";
import { freePort } from "@switchyard/rpc";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { describeWith } from "../../programs.ts";
import { getBody, givenOffice } from "../../specification/testing/office.ts";
import { startServer } from "./server.ts";
import type { StartedServer } from "./server.ts";

const document = "Invoice number: INV-1001\nInvoice date: 05.03.2024\nTotal due: 43.75";
const cell = (value: unknown, quote: string) => ({ value, quote, line: null });
const answer = JSON.stringify({
  invoice: {
    invoice_number: cell("INV-1001", "INV-1001"),
    invoice_date: cell("2024-03-05", "05.03.2024"),
    total: cell(43.75, "43.75"),
    iban: cell("DE00 0000", "DE00 0000"),
    notAsked: cell("x", "x"),
  },
  line_items: [],
});

/** What the proxy answers for each of its models, instead of asking a service. */
const mocked = {
  json: answer,
  fenced: `\`\`\`json\n${answer}\n\`\`\``,
  prose: "There are an invoice number and a total in this document.",
  limited: "litellm.RateLimitError",
  failing: "litellm.InternalServerError",
};
const structuredOutputs = ["json_schema", "json_object", "none"];

describeWith({ variable: "LITELLM_BINARY", name: "litellm", check: ["--version"] }, "LiteLLM's proxy", (path) => {
  const key = "sk-marker-litellm-4711";
  const engines = { file: {} as Record<string, unknown>, variables: { PROXY_KEY: key, OTHER_KEY: "sk-other" } };
  let answerBehind: (question: ReceivedQuestion) => unknown = () => JSON.parse(answer);
  let behind: Awaited<ReturnType<typeof startEndpoint>>;
  let proxy: StartedServer;
  let folder: string;

  beforeAll(async () => {
    behind = await startEndpoint({ answer: (question) => answerBehind(question), key: "sk-behind" });
    folder = await mkdtemp(join(tmpdir(), "switchyard-litellm-"));
    const port = await freePort();
    const models = Object.entries(mocked).map(([name, mock_response]) => [name, { mock_response }] as const);
    const asked = { api_base: behind.baseUrl, api_key: "sk-behind" };
    const down = { api_base: "http://127.0.0.1:1/v1", api_key: "sk-behind" };
    const model_list = [...models, ["behind", asked] as const, ["down", down] as const].map(([model_name, more]) => ({
      model_name,
      litellm_params: { model: "openai/test-model", ...more },
    }));
    const litellm_settings = { num_retries: 0, telemetry: false, drop_params: false };
    const router_settings = { num_retries: 0, disable_cooldowns: true };
    const general_settings = { master_key: key };
    const config = join(folder, "config.yaml");
    await writeFile(config, JSON.stringify({ model_list, litellm_settings, router_settings, general_settings }));
    const args = ["--config", config, "--host", "127.0.0.1", "--port", String(port)];
    proxy = await startServer(path, args, /Uvicorn running on/u, { LITELLM_LOCAL_MODEL_COST_MAP: "True" });
    const engine = {
      ...{ protocol: "openai", baseUrl: `http://127.0.0.1:${port}/v1`, apiKeyEnv: "PROXY_KEY" },
      ...{ models: [...Object.keys(mocked), "behind", "down"], timeoutSeconds: 60 },
    };
    for (const structuredOutput of structuredOutputs) engines.file[structuredOutput] = { ...engine, structuredOutput };
    engines.file["locked"] = { ...engine, apiKeyEnv: "OTHER_KEY", structuredOutput: "none" };
  });
  const given = givenOffice("one process", { engines });
  afterAll(async () => {
    await Promise.all([proxy?.end(), behind?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const extract = async (engine: string, modelName: string): Promise<any> => {
    const { rest, office } = given;
    const own = `/api/v1/deployments/${office.invoices}`;
    await getBody(rest.patch(`${own}/configuration`, { extractionSettings: { engine, modelName } }), 200);
    const uploaded = rest.upload(`/api/v1/projects/${office.projectId}/files`, "document.txt", Buffer.from(document));
    const { id: fileId } = await getBody(uploaded, 201);
    const { id } = await getBody(rest.post(`${own}/extractions`, { fileId }), 201);
    return finishedExtraction(rest, id);
  };

  it.each(structuredOutputs)("answers with JSON, in a fenced block too, if the engine has %s", async (engine) => {
    for (const modelName of ["json", "fenced", "behind"]) {
      const { status, tables, usage } = await extract(engine, modelName);
      expect([modelName, status]).toEqual([modelName, "COMPLETED"]);
      const [{ values, confidence }] = tables[0].rows;
      expect(values).toEqual({
        invoice_number: "INV-1001",
        invoice_date: "2024-03-05",
        total: 43.75,
        iban: "DE00 0000",
      });
      expect(confidence).toEqual({ invoice_number: 0.5, invoice_date: 0.5, total: 0.5, iban: 0 });
      expect(usage.inputTokens).toBeGreaterThan(0);
    }
    expect(behind.questions.at(-1)?.responseFormat).toBe(engine === "none" ? undefined : engine);
  });

  it.each([
    ["prose", "ENGINE_ANSWER_INVALID"],
    ["limited", "ENGINE_UNREACHABLE"],
    ["failing", "ENGINE_UNREACHABLE"],
    ["down", "ENGINE_UNREACHABLE"],
  ])("fails if its model is %s: %s", async (modelName, code) => {
    const { status, error, tables } = await extract("json_schema", modelName);
    expect([status, error?.code, tables]).toEqual(["FAILED", code, []]);
  });

  it("refuses a wrong key, which makes the engine unreachable in the list", async () => {
    const { error } = await extract("locked", "json");
    expect(error.code).toBe("ENGINE_REFUSED");
    const { data } = await getBody(given.rest.get("/api/v1/engines"), 200);
    const states = Object.fromEntries(data.map(({ name, status }: any) => [name, status]));
    expect(states).toEqual({
      ...{ local: "READY", json_schema: "READY", json_object: "READY", none: "READY", locked: "UNREACHABLE" },
    });
  });

  it("classifies by what it passes through, and repeats refusals", async () => {
    const { rest, office } = given;
    const path = `/api/v1/classify/${office.classifier}`;
    const settings = { engine: "json_schema", modelName: "behind" };
    await getBody(rest.patch(path, { settings }), 200);
    const { deploymentRoutes } = await getBody(rest.get(path), 200);
    const route = deploymentRoutes.find(({ name }: any) => name === "Invoice").id;
    answerBehind = () => ({ reason: "It is an invoice.", quotes: ["Invoice number"], route });
    const record = await getBody(rest.post(path, { text: document, extract: false }), 201);
    expect(record).toMatchObject({ status: "CLASSIFIED", routeId: route, confidence: 0.5 });
    behind.behave(() => ({ kind: "refusal" }));
    const { status, body } = await rest.post(path, { text: `${document} again`, extract: false });
    expect([status, body.code]).toEqual([503, "ENGINE_REFUSED"]);
  });
});
