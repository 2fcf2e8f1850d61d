import { finishedExtraction } from "../../journeys/fixture.ts";
import { getBody, givenOffice } from "../testing/office.ts";

const deadlineMs = 60_000;
const columns = ["net", "tax", "total"] as const;

/** A bill whose amounts do not add up. */
function bill(number: number): { text: string; values: Record<string, number> } {
  const values = { net: 100 + number, tax: 20, total: 150 + number };
  return { text: columns.map((name) => `${name}: ${values[name]}.00`).join("\n"), values };
}

describe("6 what may go unseen, and the review policy", () => {
  const given = givenOffice();
  let model: string;
  let waiting: { fileId: string; extractionId: string };
  const files: string[] = [];

  const at = (path: string) => `/api/v1/deployments/${model}/${path}`;
  const put = (path: string, value: unknown) => {
    const headers = { "content-type": "application/json" };
    return given.rest.send(path, { method: "PUT", headers, body: JSON.stringify(value) });
  };
  const upload = async (number: number): Promise<string> => {
    const path = `/api/v1/projects/${given.office.projectId}/files`;
    const { text } = bill(number);
    return (await getBody(given.rest.upload(path, `bill-${number}.txt`, Buffer.from(text)), 201)).id;
  };
  const accept = (fileId: string, values: unknown) =>
    getBody(
      put(`/api/v1/files/${fileId}/accepted-values`, {
        deploymentId: model,
        tables: [{ slug: "bill", rows: [{ values }] }],
      }),
      200,
    );
  const listReview = async () => {
    const path = `/api/v1/projects/${given.office.projectId}/review?kind=EXTRACTION&limit=500`;
    const { data } = await getBody(given.rest.get(path), 200);
    return data.map(({ extractionId, reason }: any) => [extractionId, reason.code]);
  };
  /** Waits until the policy was computed, and the review list has the extraction or not. */
  const settled = async (possible: boolean, listed: boolean): Promise<any> => {
    for (const deadline = Date.now() + deadlineMs; ;) {
      const { status, body } = await given.rest.get(at("review-policy"));
      const isListed = (await listReview()).some(([id]: string[]) => id === waiting.extractionId);
      const known = status === 404 || body.risk?.possible === possible;
      if ((known && isListed === listed) || Date.now() > deadline) {
        expect({ known, isListed }).toEqual({ known: true, isListed: listed });
        return body;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };

  beforeAll(async () => {
    const body = {
      name: "Bills",
      tables: [{ slug: "bill" }],
      columns: columns.map((slug) => ({ slug, name: slug, type: "NUMBER", required: true })),
      extractionSettings: { useExamples: false },
    };
    model = (await getBody(given.rest.post(`/api/v1/projects/${given.office.projectId}/deployments`, body), 201)).id;
    for (let number = 0; number < 14; number += 1) files.push(await upload(number));
    const fileId = await upload(50);
    const { id } = await getBody(given.rest.post(at("extractions"), { fileId }), 201);
    waiting = { fileId, extractionId: (await finishedExtraction(given.rest, id, deadlineMs)).id };
  });

  it("refuses wrong numbers, and a model without a schema", async () => {
    for (const query of ["error=0", "error=1", "confidence=1", "confidence=-1", "error=x"]) {
      const field = query.split("=")[0];
      const { status, body } = await given.rest.get(at(`risk?${query}`));
      expect([status, body.errors[0].field]).toEqual([400, field]);
    }
    expect((await put(at("review-policy"), { error: 1 })).body.errors[0].field).toBe("error");
    const path = `/api/v1/projects/${given.office.projectId}/deployments`;
    const { id } = await getBody(given.rest.post(path, { name: "Without a schema" }), 201);
    for (const response of [
      await given.rest.get(`/api/v1/deployments/${id}/risk`),
      await put(`/api/v1/deployments/${id}/review-policy`, {}),
    ])
      expect([response.status, response.body.code]).toEqual([400, "MODEL_HAS_NO_SCHEMA"]);
  });

  it("needs accepted files, and says how many", async () => {
    const { byColumn, ...risk } = await getBody(given.rest.get(at("risk")), 200);
    expect(risk).toEqual({
      possible: false,
      error: 0.01,
      confidence: 0.95,
      coverage: 0,
      threshold: null,
      filesUsed: 0,
      filesNeeded: expect.any(Number),
      values: 0,
      bySource: [],
    });
    expect(byColumn.map(({ slug, possible }: any) => [slug, possible])).toEqual(columns.map((slug) => [slug, false]));
    // log(0.05 / 2) / log(0.99)
    expect(risk.filesNeeded).toBe(368);
  });

  it("hides nothing while the policy is not possible", async () => {
    const found = await given.rest.get(at("review-policy"));
    expect([found.status, found.body.code]).toEqual([404, "REVIEW_POLICY_NOT_FOUND"]);
    expect(await listReview()).toContainEqual([waiting.extractionId, "CONTRADICTION"]);
    const policy = await getBody(put(at("review-policy"), { error: 0.3, confidence: 0.8 }), 200);
    expect(policy).toEqual({
      deploymentId: model,
      error: 0.3,
      confidence: 0.8,
      risk: null,
      computedAt: null,
      updatedAt: expect.stringMatching(/Z$/),
    });
    const { risk } = await settled(false, true);
    expect(risk).toMatchObject({ possible: false, filesUsed: 0, error: 0.3 });
  });

  it("is computed again when files are accepted, and the review list follows", async () => {
    for (const [number, fileId] of files.entries()) await accept(fileId, bill(number).values);
    const { risk, computedAt } = await settled(true, false);
    expect(risk).toMatchObject({ possible: true, coverage: 1, filesNeeded: null });
    expect(computedAt).toMatch(/Z$/);
    // Values that contradict each other have a confidence of 0.5, and were right in all accepted files.
    expect(risk.bySource).toEqual([
      expect.objectContaining({ source: "TEXT", possible: true, threshold: risk.threshold }),
    ]);
    expect(risk.threshold).toBeLessThanOrEqual(0.5);
    const now = await getBody(given.rest.get(at("risk?error=0.3&confidence=0.8")), 200);
    expect(now).toMatchObject({ possible: true, filesUsed: 14, values: 42 });
    // A new extraction is not listed either.
    const { id } = await getBody(given.rest.post(at("extractions"), { fileId: await upload(60) }), 201);
    await finishedExtraction(given.rest, id, deadlineMs);
    expect((await listReview()).map(([extractionId]: string[]) => extractionId)).not.toContain(id);
  });

  it("lists what is uncertain when accepted values show that values are wrong, and when the policy is removed", async () => {
    for (const fileId of files.slice(0, 8)) await accept(fileId, { net: 1, tax: 1, total: 1 });
    const { risk } = await settled(false, true);
    expect(risk).toMatchObject({ possible: false, coverage: 0, threshold: null });
    for (const [number, fileId] of files.entries()) await accept(fileId, bill(number).values);
    await settled(true, false);
    await getBody(given.rest.send(at("review-policy"), { method: "DELETE" }), 204);
    await settled(true, true);
    const again = await given.rest.send(at("review-policy"), { method: "DELETE" });
    expect([again.status, again.body.code]).toEqual([404, "REVIEW_POLICY_NOT_FOUND"]);
    expect(await listReview()).toContainEqual([waiting.extractionId, "CONTRADICTION"]);
  });
});
