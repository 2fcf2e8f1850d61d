import { startEndpoint } from "@switchyard/engines/testing";
import type { ReceivedQuestion, TestEndpoint } from "@switchyard/engines/testing";
import { eventually } from "@switchyard/storage/testing";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createOffice, finishedExtraction } from "../journeys/fixture.ts";
import type { Office } from "../journeys/fixture.ts";
import { runProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import type { Rest, RestResponse } from "../rest.ts";
import { finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody } from "../specification/testing/office.ts";
import { createStoredState } from "../specification/testing/stored.ts";
import { startTestSystem } from "../system.ts";
import type { TestSystem } from "../system.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const engineTimeoutMs = 3_000;
/** How long the endpoint hangs, and then refuses connections. */
const outageMs = isLong ? { hanging: 15_000, closed: 15_000 } : { hanging: 2_500, closed: 2_500 };
/** The callers that want something of the engine, more than may wait, and those that do not. */
const callers = { engine: 32, local: 2 };
/** No local request takes longer, even on a machine with much else to do. */
const localBoundMs = 20_000;
/** The documents that wait for language models in a process of the classifier service. */
const mostWaiting = 24;

/** Codes of a machine that is too busy for its database. */
const busy = ["STORAGE_BUSY", "IDENTITY_UNAVAILABLE"];

const keys = ["sk-marker-own-5e1f0a", "sk-marker-rejected-77c2"] as const;

/** Chooses the first route, and gives the total of a document. */
function answer({ schema, instructions, content }: ReceivedQuestion): unknown {
  if (schema?.properties?.["route"] !== undefined) {
    return { reason: "It says so.", quotes: ["Invoice"], route: /"id":"(rte_\w+)"/u.exec(instructions)?.[1] };
  }
  const total = /Total: (\d+\.\d\d)/u.exec(content.slice(content.lastIndexOf("== document")))?.[1] ?? "";
  return { invoice: { total: { value: Number(total), quote: total, line: null } }, line_items: [] };
}

describe("while the endpoint of an engine is down", () => {
  let endpoint: TestEndpoint;
  let system: TestSystem;
  let rest: Rest;
  /** Does not repeat what was refused. */
  let hasty: Rest;
  let office: Office;
  let folder: string;
  let paths: { engine: string; local: string };
  const seen: string[] = [];

  const see = (response: RestResponse): RestResponse => {
    seen.push(JSON.stringify([response.status, [...response.headers], response.text]));
    return response;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-engine-down-"));
    endpoint = await startEndpoint({ answer, key: keys[0] });
    const engine = {
      ...{ protocol: "openai", baseUrl: endpoint.baseUrl, models: ["test-model"], structuredOutput: "json_schema" },
      ...{ timeoutSeconds: engineTimeoutMs / 1_000, parallel: 4, inputPrice: 1, outputPrice: 1 },
    };
    const file = {
      model: { ...engine, apiKeyEnv: "OWN_KEY" },
      rejected: { ...engine, apiKeyEnv: "REJECTED_KEY" },
    };
    const variables = { OWN_KEY: keys[0], REJECTED_KEY: keys[1] };
    system = await startTestSystem("separate processes", { logLevel: "trace", folder, engines: { file, variables } });
    rest = createRest(system.url, system.token);
    hasty = createRest(system.url, system.token, {}, 0);
    office = await createOffice(rest, "Accounts payable");
    const named = { projectId: office.projectId, routes: [{ deploymentId: office.invoices, name: "Invoice" }] };
    const create = async (name: string, settings: object): Promise<string> =>
      `/api/v1/classify/${(await getBody(rest.post("/api/v1/classify", { ...named, name, settings }), 201)).id}`;
    paths = { engine: await create("Slow", { engine: "model" }), local: await create("Fast", {}) };
  });
  afterAll(async () => {
    await system?.close();
    await endpoint?.close();
    await rm(folder, { recursive: true, force: true });
  });

  let number = 0;
  const classify = (path: string): Promise<RestResponse> =>
    hasty.post(path, { text: `Invoice ${(number += 1)}`, extract: false });

  async function extract(engine: string): Promise<any> {
    const extractionSettings = { engine };
    await getBody(rest.patch(`/api/v1/deployments/${office.invoices}/configuration`, { extractionSettings }), 200);
    const bytes = Buffer.from(`Invoice ${(number += 1)}\nTotal: ${number}.25`);
    const { id: fileId } = await getBody(
      rest.upload(`/api/v1/projects/${office.projectId}/files`, "invoice.txt", bytes),
      201,
    );
    const { id } = await getBody(rest.post(`/api/v1/deployments/${office.invoices}/extractions`, { fileId }), 201);
    const extraction = await finishedExtraction(rest, id);
    seen.push(JSON.stringify(extraction));
    return extraction;
  }

  it("local documents continue, waiting ones are bounded, and everything recovers on its own", async () => {
    // The first question loads the SDK, which takes a busy machine longer than the engine may.
    for (const path of [paths.engine, paths.local])
      await eventually("a first answer", async () => ((await classify(path)).status === 201 ? true : undefined));
    let ended = false;
    const local: { status: number; code?: string; ms: number }[] = [];
    const asked: { ms: number; status: number; code?: string; retryAfter: string | null }[] = [];

    const callLocal = async (): Promise<void> => {
      while (!ended) {
        const begun = performance.now();
        const { status, body } = await classify(paths.local);
        local.push({ status, code: body.code, ms: performance.now() - begun });
        await sleep(50);
      }
    };
    const callEngine = async (): Promise<void> => {
      while (!ended) {
        const begun = performance.now();
        const { status, body, headers } = see(await classify(paths.engine));
        const ms = performance.now() - begun;
        asked.push({ ms, status, code: body.code, retryAfter: headers.get("retry-after") });
        if (status === 503) await sleep(1_000 * Number(headers.get("retry-after")) * (1 + Math.random()));
      }
    };

    /** Takes the endpoint down, and up again. Returns what the callers of the engine were answered meanwhile. */
    const interrupt = async (): Promise<typeof asked> => {
      const [failed] = await Promise.all([extract("model"), sleep(outageMs.hanging)]);
      expect(failed.error.code).toMatch(/^ENGINE_(?:TIMEOUT|UNREACHABLE)$/);
      expect(endpoint.counts.peak).toBeLessThanOrEqual(4);
      const port = Number(new URL(endpoint.baseUrl).port);
      await endpoint.close();
      expect((await extract("model")).error.code).toBe("ENGINE_UNREACHABLE");
      expect((await extract("local")).status).toBe("COMPLETED");
      await sleep(outageMs.closed);
      const outage = asked.splice(0);
      endpoint = await startEndpoint({ answer, key: keys[0], port });
      return outage;
    };

    endpoint.behave(() => ({ kind: "hang" }));
    const work = [
      ...Array.from({ length: callers.engine }, callEngine),
      ...Array.from({ length: callers.local }, callLocal),
    ];
    const recover = async (): Promise<{ outage: typeof asked; recoveryMs: number }> => {
      const outage = await interrupt();
      const backAt = performance.now();
      await eventually("an answer", async () => (asked.some(({ status }) => status === 201) ? true : undefined));
      const recoveryMs = performance.now() - backAt;
      await eventually("a value", async () => ((await extract("model")).status === "COMPLETED" ? true : undefined));
      return { outage, recoveryMs };
    };
    const { outage, recoveryMs } = await recover().finally(() => (ended = true));
    await Promise.all(work);

    console.log(
      `${local.length} local documents, the slowest in ${Math.max(...local.map(({ ms }) => ms)).toFixed(0)} ms; ` +
        `${outage.length} refused by the engine; the first answer ${recoveryMs.toFixed(0)} ms after it was back`,
    );
    const lost = local.filter(
      ({ status, code = "", ms }) => (status !== 201 && !busy.includes(code)) || ms > localBoundMs,
    );
    expect(lost).toEqual([]);
    expect(local.length).toBeGreaterThan(5);
    const expected = ["ENGINE_TIMEOUT", "ENGINE_UNREACHABLE", "OVERLOADED", ...busy];
    const wrong = outage.filter(
      ({ status, code = "", retryAfter }) => status !== 503 || !expected.includes(code) || !(Number(retryAfter) > 0),
    );
    expect(wrong).toEqual([]);
    // What is more than may wait is refused before the requests of the others give up.
    expect(outage.filter(({ ms }) => ms < engineTimeoutMs).length).toBeGreaterThanOrEqual(callers.engine - mostWaiting);
  });

  it("keys are in no response, log line, record, audit entry, export, output of a command or file", async () => {
    const { projectId, invoices } = office;
    // Endpoints repeat the keys that they reject.
    expect((await extract("rejected")).error.code).toBe("ENGINE_REFUSED");
    endpoint.behave(() => ({ kind: "status", status: 400, body: `The key ${keys[0]} may not do that.` }));
    expect((await extract("model")).error.code).toBe("ENGINE_REFUSED");
    expect(see(await classify(paths.engine)).body.code).toBe("ENGINE_REFUSED");
    endpoint.behave(undefined);

    const { id: fileId, ...extraction } = await extract("model");
    const body = JSON.stringify({
      deploymentId: invoices,
      tables: [{ slug: "invoice", rows: [{ values: { total: 1 } }] }],
    });
    const init = { method: "PUT", body, headers: { "content-type": "application/json" } };
    see(await rest.send(`/api/v1/files/${extraction.fileId}/accepted-values`, init));
    const run = see(
      await rest.post(`/api/v1/projects/${projectId}/benchmarks`, { deploymentId: invoices, name: "All" }),
    );
    const { executionId } = run.body;
    const { status, engine, usage } = await finishedExecution(rest, executionId);
    expect([status, engine.name, usage.inputTokens > 0]).toEqual(["COMPLETED", "model", true]);
    const benchmark = `/api/v1/benchmarks/${executionId}`;
    const values = `/api/v1/deployments/${invoices}/values`;
    for (const path of [
      ...["/healthz", "/readyz", "/api/v1/engines", "/api/v1/audit?limit=100"],
      ...["?format=CSV", "?format=XLSX", "?format=JSONL"].map((format) => `${values}:export${format}`),
      ...[benchmark, `${benchmark}/metrics`, `${benchmark}/files`, `${benchmark}/files/${extraction.fileId}`],
      ...[values, `/api/v1/deployments/${invoices}/configuration/versions`, `${paths.engine}/classifications`],
      ...[`/api/v1/extractions/${fileId}`, `/api/v1/projects/${projectId}/extractions`, paths.engine],
    ]) {
      const response = await fetch(`${system.url}${path}`, { headers: { authorization: `Bearer ${system.token}` } });
      const { status } = response;
      seen.push(await response.text());
      expect([path, status]).toEqual([path, 200]);
    }
    const command = runProgram("apps/cli/bin/switchyard.js", ["engines", "list", "--output", "json"], {
      SWITCHYARD_BASE_URL: system.url,
      SWITCHYARD_TOKEN: system.token,
    });
    expect([await command.ended(), command.output()]).toEqual([0, expect.stringContaining('"model"')]);

    const stored = await createStoredState(system.uri);
    const searched = [...seen, command.output(), system.output(), ...(await stored.documents()).values()];
    await stored.close();
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const bytes = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
    expect([system.output().includes("EngineService"), bytes.length > 0]).toEqual([true, true]);
    const leaks = keys.flatMap((key) => [
      ...searched.filter((text) => text.includes(key)).map((text) => text.slice(0, 200)),
      ...bytes.flatMap((each, index) => (each.includes(key) ? [files[index]?.name] : [])),
    ]);
    expect(leaks).toEqual([]);
  });
});
