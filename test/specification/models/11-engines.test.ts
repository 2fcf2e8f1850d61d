import { startEndpoint } from "@switchyard/engines/testing";
import { Writable } from "node:stream";
import { getBody, givenOffice, refusal } from "../testing/office.ts";

const key = "sk-marker-9f3a51";
const endpoint = await startEndpoint({ key, answer: () => ({}), models: ["small", "large"] });
afterAll(() => endpoint.close());

const engine = {
  protocol: "openai",
  baseUrl: endpoint.baseUrl,
  apiKeyEnv: "OFFICE_KEY",
  models: ["small", "large"],
  structuredOutput: "json_schema",
};
const file = {
  office: { ...engine, images: true },
  rejected: { ...engine, apiKeyEnv: "REJECTED_KEY" },
  gone: { ...engine, baseUrl: "http://127.0.0.1:1/v1" },
  theirs: { ...engine, organizations: ["org_other"] },
};

const log: string[] = [];
const given = givenOffice("one process", {
  engines: { file, variables: { OFFICE_KEY: key, REJECTED_KEY: "sk-marker-none" } },
  log: new Writable({ write: (chunk, _encoding, done) => void (log.push(String(chunk)), done()) }),
});

describe("engines", () => {
  it("are listed if the organization may use them, the local one first, and never with address or key", async () => {
    const response = await given.rest.get("/api/v1/engines");
    const { data } = await getBody(Promise.resolve(response), 200);
    const models = ["small", "large"];
    const checkedAt = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);
    expect(data).toEqual([
      { name: "local", models: [], images: false, learns: true, status: "READY", checkedAt },
      { name: "office", models, images: true, learns: false, status: "READY", checkedAt },
      { name: "rejected", models, images: false, learns: false, status: "UNREACHABLE", checkedAt },
      { name: "gone", models, images: false, learns: false, status: "UNREACHABLE", checkedAt },
    ]);
    expect(Object.keys(data[1])).toEqual(["name", "models", "images", "learns", "status", "checkedAt"]);
    expect((await given.rest.get("/api/v1/engines")).body.data[1].checkedAt).toBe(data[1].checkedAt);
    expect(response.text + log.join("")).not.toMatch(/127\.0\.0\.1|sk-marker|_KEY/);
    expect(endpoint.questions).toEqual([]);
  });

  it("are checked when a configuration names them", async () => {
    const { rest, office } = given;
    const path = `/api/v1/deployments/${office.invoices}/configuration`;
    const patch = (extractionSettings: object) => rest.patch(path, { extractionSettings });
    const settings = async (chosen: object) => (await getBody(patch(chosen), 200)).extractionSettings;
    const examples = { useExamples: true, numberOfExamples: 5 };
    expect(await settings({ engine: "office" })).toEqual({
      ...{ engine: "office", modelName: null, temperature: null },
      ...examples,
    });
    const chosen = { engine: "office", modelName: "large", temperature: 0.5, useExamples: false, numberOfExamples: 20 };
    expect(await settings(chosen)).toEqual(chosen);
    const { version } = await getBody(rest.get(path), 200);
    expect((await getBody(patch(chosen), 200)).version).toBe(version);
    expect((await getBody(rest.patch(path, { instructions: "Read it." }), 200)).extractionSettings).toEqual(chosen);
    const field = "400 INVALID_REQUEST extractionSettings";
    for (const [wrong, name] of [
      [{ engine: "theirs" }, "engine"],
      [{ engine: "LOCAL" }, "engine"],
      [{ engine: "office", modelName: "huge" }, "modelName"],
      [{ engine: "office", temperature: 2.01 }, "temperature"],
      [{ engine: "office", numberOfExamples: 21 }, "numberOfExamples"],
      [{ modelName: "large" }, "modelName"],
    ] as const) {
      expect(await refusal(patch(wrong))).toBe(`${field}.${name}`);
    }
    const model = { name: "Letters", extractionSettings: { engine: "theirs" } };
    expect(await refusal(rest.post(`/api/v1/projects/${office.projectId}/deployments`, model))).toBe(`${field}.engine`);
    expect(await settings({})).toEqual({ ...{ engine: "local", modelName: null, temperature: null }, ...examples });
  });
});
