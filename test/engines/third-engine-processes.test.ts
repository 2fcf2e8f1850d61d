import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { finishedExtraction } from "../journeys/fixture.ts";
import { runProgram } from "../processes.ts";
import { getBody, givenOffice, refusal } from "../specification/testing/office.ts";

const nodeOptions = [`--import=${pathToFileURL(join(import.meta.dirname, "one-line.js")).href}`];

describe("a third engine, which is a folder and a line", () => {
  const variables: Record<string, string> = {};
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-third-engine-"));
    for (const [app, name] of [
      ["extraction", "extraction"],
      ["classifier", "classification"],
    ]) {
      const generator = `apps/${app}/src/generate-engine-names.ts`;
      const program = runProgram(generator, [join(folder, `${name}-engines.ts`)], {}, nodeOptions);
      expect([await program.ended(), program.output()]).toEqual([0, ""]);
    }
    variables["THIRD_ENGINE_NAMES"] = folder;
  });
  const given = givenOffice("separate processes", { engines: { file: {}, variables }, nodeOptions });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is listed, extracts documents, and decides classifications, with nothing else to be changed", async () => {
    const { rest, office } = given;
    const { data } = await getBody(rest.get("/api/v1/engines"), 200);
    expect(data.map(({ name, models, learns, status }: any) => [name, models, learns, status])).toEqual([
      ["local", [], true, "READY"],
      ["shouting", [], false, "READY"],
    ]);

    const configuration = `/api/v1/deployments/${office.invoices}/configuration`;
    const set = (extractionSettings: object) => rest.patch(configuration, { extractionSettings });
    expect(await refusal(set({ engine: "shouting", modelName: "x" }))).toBe(
      "400 INVALID_REQUEST extractionSettings.modelName",
    );
    await getBody(set({ engine: "shouting" }), 200);
    const uploaded = rest.upload(
      `/api/v1/projects/${office.projectId}/files`,
      "order.txt",
      Buffer.from("Invoice! No 1"),
    );
    const { id: fileId } = await getBody(uploaded, 201);
    const { id } = await getBody(rest.post(`/api/v1/deployments/${office.invoices}/extractions`, { fileId }), 201);
    const extraction = await finishedExtraction(rest, id);
    expect(extraction).toMatchObject({
      ...{ error: null, status: "COMPLETED", usage: null },
      engine: { name: "shouting", version: "shouting-1", modelName: null, learnedFrom: 0 },
    });
    expect(Object.values(extraction.tables[0].rows[0].values)[0]).toBe("INVOICE! NO 1");

    const path = `/api/v1/classify/${office.classifier}`;
    const decide = (text: string) => getBody(rest.post(path, { text, extract: false }), 201);
    await getBody(rest.patch(path, { settings: { engine: "shouting" } }), 200);
    expect(await decide("RECEIPT! of 3 May")).toMatchObject({
      ...{ status: "CLASSIFIED", routeName: "Receipt", confidence: 1 },
      engine: { name: "shouting", version: "shouting-1", modelName: null, learnedFrom: 0 },
    });
    expect(await decide("a receipt")).toMatchObject({ status: "UNCLASSIFIED", reason: { code: "NO_MATCH" } });
    const secondOpinion = { engine: "shouting", modelName: null };
    await getBody(rest.patch(path, { settings: { engine: "local", secondOpinion } }), 200);
    expect(await decide("xyz RECEIPT! xyz")).toMatchObject({ status: "CLASSIFIED", routeName: "Receipt" });
  });
});
