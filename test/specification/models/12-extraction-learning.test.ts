import { finishedExecution } from "../testing/benchmarks.ts";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { getBody, givenOffice } from "../testing/office.ts";

/** A ticket on which the amount that counts follows a word that no rule knows. */
function ticket(number: number): string {
  return `Kiosk at gate ${number}\nThank you\nTotal: ${number}.99\nZaplatit ${number + 10}.${number + 10}\nBye`;
}

const amount = (number: number): number => number + 10 + (number + 10) / 100;
const deadlineMs = 60_000;

describe("12 an extraction model learns from accepted files", () => {
  const given = givenOffice();
  let model: string;
  const files: string[] = [];

  const upload = async (number: number): Promise<string> => {
    const path = `/api/v1/projects/${given.office.projectId}/files`;
    return (await getBody(given.rest.upload(path, `ticket-${number}.txt`, Buffer.from(ticket(number))), 201)).id;
  };
  const accept = (fileId: string, values: unknown) =>
    given.rest.send(`/api/v1/files/${fileId}/accepted-values`, {
      method: "PUT",
      body: JSON.stringify({ deploymentId: model, tables: [{ slug: "ticket", rows: [{ values }] }] }),
      headers: { "content-type": "application/json" },
    });
  const extract = async (fileId: string): Promise<any> => {
    const { id } = await getBody(given.rest.post(`/api/v1/deployments/${model}/extractions`, { fileId }), 201);
    return finishedExtraction(given.rest, id, deadlineMs);
  };
  /** Extracts a file until the engine has learned from a number of files. */
  const extractKnowing = async (fileId: string, learnedFrom: number): Promise<any> => {
    for (const deadline = Date.now() + deadlineMs; ;) {
      const extraction = await extract(fileId);
      if (extraction.engine.learnedFrom === learnedFrom || Date.now() > deadline) return extraction;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  const valueOf = ({ tables }: any) => tables[0].rows[0].values.amount;

  beforeAll(async () => {
    const body = {
      name: "Tickets",
      tables: [{ slug: "ticket" }],
      columns: [{ slug: "amount", name: "Total", type: "NUMBER" }],
    };
    model = (await getBody(given.rest.post(`/api/v1/projects/${given.office.projectId}/deployments`, body), 201)).id;
    for (let number = 0; number < 6; number += 1) files.push(await upload(number));
  });

  it("teach the next document, and the extraction says how many files were known", async () => {
    const next = await upload(20);
    const cold = await extract(next);
    expect([valueOf(cold), cold.engine]).toEqual([
      20.99,
      { name: "local", version: expect.stringMatching(/^\d+$/), modelName: null, learnedFrom: 0 },
    ]);
    for (const [number, id] of files.entries()) await getBody(accept(id, { amount: amount(number) }), 200);
    const learned = await extractKnowing(next, 6);
    expect([valueOf(learned), learned.engine]).toEqual([
      30.3,
      { name: "local", version: expect.stringMatching(/^\d+\+[0-9a-f]{12}$/), modelName: null, learnedFrom: 6 },
    ]);
    expect(learned.tables[0].rows[0].evidence.amount.quote).toBe("30.30");
    const again = await extract(next);
    expect([again.engine, again.tables]).toEqual([learned.engine, learned.tables]);
  });

  it("are scored by what was learned without them, and the run says so", async () => {
    const { projectId } = given.office;
    const body = { deploymentId: model, name: "Cross-fitted" };
    const { executionId } = await getBody(given.rest.post(`/api/v1/projects/${projectId}/benchmarks`, body), 201);
    const execution = await finishedExecution(given.rest, executionId, deadlineMs);
    expect([execution.status, execution.engine.learnedFrom, execution.engine.crossFitted]).toEqual([
      "COMPLETED",
      6,
      true,
    ]);
    const { data } = await getBody(given.rest.get(`/api/v1/benchmarks/${executionId}/files`), 200);
    for (const { fileId, excludedFileIds } of data) expect(excludedFileIds).toContain(fileId);
  });

  it("are forgotten when they are deleted, or when their values are removed", async () => {
    const next = await upload(21);
    await getBody(given.rest.send(`/api/v1/files/${files[0]}`, { method: "DELETE" }), 204);
    expect((await extractKnowing(next, 5)).engine.learnedFrom).toBe(5);
    const path = `/api/v1/files/${files[1]}/accepted-values?deploymentId=${model}`;
    await getBody(given.rest.send(path, { method: "DELETE" }), 204);
    expect((await extractKnowing(next, 4)).engine.learnedFrom).toBe(4);
  });

  it("teach nothing if the configuration says so", async () => {
    await getBody(
      given.rest.send(`/api/v1/deployments/${model}/configuration`, {
        method: "PATCH",
        body: JSON.stringify({ extractionSettings: { useExamples: false } }),
        headers: { "content-type": "application/json" },
      }),
      200,
    );
    const extraction = await extract(await upload(22));
    expect([valueOf(extraction), extraction.engine.learnedFrom]).toEqual([22.99, 0]);
  });
});
