import { getBody } from "../testing/office.ts";
import { finishedExecution } from "../testing/benchmarks.ts";
import { givenOffice } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { expectRecorded, recordExchange } from "./recording.ts";
import type { RecordedRequest } from "./recording.ts";

const counts = [0, 1, 20] as const;

/** Sections 2.4, 2.5 and 4.5 to 4.9: the exact bytes of responses about models, their configuration and benchmarks. */
export function goldenModelSuite(where: Where): void {
  const given = givenOffice(where);

  async function expectExchange(name: string, asked: RecordedRequest): Promise<void> {
    await expectRecorded(name, await recordExchange(given.system.url, given.system.token, asked));
  }
  const create = (path: string, body: object): Promise<any> => getBody(given.rest.post(path, body), 201);
  const newProject = async (name: string): Promise<string> => (await create("/api/v1/projects", { name })).id;
  const modelsOf = (projectId: string) => `/api/v1/projects/${projectId}/deployments`;
  const configurationOf = (id: string) => `/api/v1/deployments/${id}/configuration`;
  const numbered = <Value>(count: number, value: (place: number) => Value): Value[] =>
    Array.from({ length: count }, (_, place) => value(place + 1));

  it.each(counts)("lists %i models", async (count) => {
    const projectId = await newProject(`With ${count} models`);
    for (let place = 1; place <= count; place += 1) await create(modelsOf(projectId), { name: `Model ${place}` });
    await expectExchange(`list-models.${count}`, { path: modelsOf(projectId) });
  });

  it.each(counts)("lists a model with %i deployments", async (count) => {
    const projectId = await newProject(`With ${count} deployments`);
    const tables = [{ slug: "letter", isPrimary: true }];
    const { id } = await create(modelsOf(projectId), { name: "Letters", tables, columns: [] });
    for (let place = 1; place <= count; place += 1) {
      await create(`/api/v1/deployments/${id}/deployments`, { name: `Deployment ${place}` });
    }
    if (count === 1) await getBody(given.rest.post(`/api/v1/deployments/${id}:pause`), 200);
    await expectExchange(`list-models.with-${count}-deployments`, { path: modelsOf(projectId) });
  });

  it.each(counts)("returns a configuration with %i columns", async (count) => {
    const tables = count === 0 ? [] : [{ slug: "letter", name: "Letter", instructions: "One row", isPrimary: true }];
    const columns = numbered(count, (place) => ({
      slug: `column_${place}`,
      ...(place % 2 === 0 ? { sharedId: `shared-${place}`, excludedFromExtraction: true } : {}),
      ...(place === 1 ? { type: "ENUM", enumValues: ["Ä", "b"], synonyms: ["first"], required: true } : {}),
    }));
    const model = { name: `With ${count} columns`, instructions: 'Read "it"', tables, columns };
    const { id } = await create(modelsOf(given.office.projectId), model);
    await expectExchange(`get-configuration.${count}`, { path: configurationOf(id) });
  });

  it("returns the configuration of a deployment and of an extraction schema", async () => {
    await expectExchange("get-configuration.deployment", { path: configurationOf(given.office.deployment) });
    await expectExchange("get-configuration.schema", { path: configurationOf(given.office.firstSchema) });
  });

  it("refuses the configuration of what does not exist", async () => {
    await expectExchange("get-configuration.unknown", { path: configurationOf("mdl_none") });
    await expectExchange("list-models.unknown", { path: modelsOf("prj_none") });
  });

  it("refuses the removed schema of a project", async () => {
    const path = `/api/v1/projects/${given.office.projectId}/schema`;
    await expectExchange("get-project-schema", { path });
    await expectExchange("get-project-schema.other-method", { method: "POST", path, body: {} });
  });

  it("creates and lists executions", async () => {
    const { office, rest } = given;
    const path = `/api/v1/projects/${office.projectId}/benchmarks`;
    const deploymentId = office.receipts;
    const creating = (body: object): RecordedRequest => ({ method: "POST", path, body });
    await expectExchange("list-benchmarks.0", { path });
    await expectExchange("create-benchmark.0", creating({ deploymentId, name: "None" }));
    const files: string[] = [];
    for (const place of numbered(20, (each) => each)) {
      const text = Buffer.from(`RECEIPT\nCompany: Corner shop\nTotal: ${place}.50\n`);
      const { id } = await getBody(
        rest.upload(`/api/v1/projects/${office.projectId}/files`, `${place}.txt`, text),
        201,
      );
      files.push(id);
    }
    const lines = files.map((fileId) => JSON.stringify({ fileId, deploymentId, values: { total: 12.5 } })).join("\n");
    const accepted = `/api/v1/projects/${office.projectId}/accepted-values:import`;
    await getBody(rest.upload(accepted, "accepted.jsonl", Buffer.from(lines)), 200);
    await expectExchange("create-benchmark.1", creating({ deploymentId, name: "One", fileIds: files.slice(0, 1) }));
    await allFinished(path);
    await expectExchange("list-benchmarks.1", { path });
    await expectExchange("create-benchmark.20", creating({ deploymentId, name: "All", description: "By default" }));
    for (const place of numbered(18, (each) => each)) {
      await create(path, {
        deploymentId,
        name: `Run ${place}`,
        description: `Of file ${place}`,
        fileIds: [files[place]],
      });
    }
    await allFinished(path);
    await expectExchange("list-benchmarks.20", { path });
  });

  it.each([
    ["deployment", () => ({ deploymentId: given.office.deployment, name: "Run" })],
    ["schema", () => ({ deploymentId: given.office.firstSchema, name: "Run" })],
    ["without-name", () => ({ deploymentId: given.office.invoices })],
    ["without-model", () => ({ name: "Run" })],
  ])("refuses to create an execution: %s", async (name, body) => {
    const path = `/api/v1/projects/${given.office.projectId}/benchmarks`;
    await expectExchange(`create-benchmark.${name}`, { method: "POST", path, body: body() });
  });

  async function allFinished(path: string): Promise<void> {
    const { data } = await getBody(given.rest.get(path), 200);
    for (const { id } of data) await finishedExecution(given.rest, id);
  }
}
