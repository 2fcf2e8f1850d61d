import { createClient, Code } from "@connectrpc/connect";
import { JobService, JobStatus } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import { getProblemFacts } from "@switchyard/rpc";
import { createTransports } from "../../interop/protocols.ts";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import { finishedJob } from "../testing/jobs.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("13 extracting the files of a model again", () => {
  const given = givenOffice();
  const extractAll = (body: object = {}, id = given.office.receipts, rest = given.rest) =>
    rest.post(`/api/v1/deployments/${id}:extractAll`, body);
  const upload = async (name: string, projectId = given.office.projectId): Promise<string> => {
    const text = Buffer.from(`Corner shop ${name}\nTotal 12.50`);
    return (await getBody(given.rest.upload(`/api/v1/projects/${projectId}/files`, name, text), 201)).id;
  };
  const accept = (fileId: string) =>
    getBody(
      given.rest.send(`/api/v1/files/${fileId}/accepted-values`, {
        method: "PUT",
        body: JSON.stringify({ deploymentId: given.office.receipts, tables: [] }),
        headers: { "content-type": "application/json" },
      }),
      200,
    );
  const listExtractions = async (fileId: string): Promise<any[]> =>
    (await getBody(given.rest.get(`/api/v1/projects/${given.office.projectId}/extractions?fileId=${fileId}`), 200))
      .data;
  const tokenFor = async (projectId: string, permission: string) => {
    const body = { name: "Small", scope: "PROJECT", projectId, permissions: [permission] };
    return createRest(given.system.url, (await getBody(given.rest.post("/api/v1/tokens", body), 201)).secret);
  };
  let [extracted, accepted, other] = ["", "", ""];

  beforeAll(async () => {
    // Without files, there is nothing to do.
    const empty = await getBody(extractAll(), 201);
    expect(empty).toMatchObject({ status: "COMPLETED", total: 0, completedAt: expect.stringMatching(iso) });
    [extracted, accepted, other] = [await upload("a.txt"), await upload("b.txt"), await upload("c.txt")];
    const path = `/api/v1/deployments/${given.office.receipts}/extractions`;
    await finishedExtraction(given.rest, (await getBody(given.rest.post(path, { fileId: extracted }), 201)).id, 60_000);
    await accept(accepted);
  });

  it("is a job over the files that were extracted or accepted for the model", async () => {
    const response = await extractAll();
    expect([response.status, response.headers.get("location")]).toEqual([201, `/api/v1/jobs/${response.body.id}`]);
    expect(response.body).toEqual({
      id: expect.stringMatching(/^job_/),
      deploymentId: given.office.receipts,
      status: "RUNNING",
      total: 2,
      done: 0,
      failed: 0,
      createdAt: expect.stringMatching(iso),
      completedAt: null,
    });
    const ended = await finishedJob(given.rest, response.body.id);
    expect(ended).toEqual({
      ...response.body,
      status: "COMPLETED",
      done: 2,
      completedAt: expect.stringMatching(iso),
    });
    expect((await listExtractions(extracted)).length).toBe(2);
    expect((await listExtractions(accepted)).map(({ status }) => status)).toEqual(["COMPLETED"]);
    expect(await listExtractions(other)).toEqual([]);
  });

  it("is a job over the given files, with a given schema of the model", async () => {
    const { invoices, firstSchema, secondSchema, deployment } = given.office;
    for (const [id, body, expected] of [
      [invoices, {}, { extractionSchemaId: secondSchema, targetDeploymentId: null }],
      [invoices, { extractionSchemaId: firstSchema }, { extractionSchemaId: firstSchema, targetDeploymentId: null }],
      [firstSchema, {}, { extractionSchemaId: firstSchema, targetDeploymentId: null }],
      [deployment, {}, { targetDeploymentId: deployment }],
    ] as const) {
      const fileId = await upload("one.txt");
      const { id: jobId, deploymentId } = await getBody(extractAll({ fileIds: [fileId], ...body }, id), 201);
      expect(deploymentId).toBe(invoices);
      expect(await finishedJob(given.rest, jobId)).toMatchObject({ status: "COMPLETED", total: 1, done: 1 });
      const [extraction, ...others] = await listExtractions(fileId);
      expect([extraction, others]).toMatchObject([{ ...expected, deploymentId: invoices }, []]);
    }
  });

  it("refuses a schema of another model and a file of another project with 404", async () => {
    const { firstSchema, invoices, receipts, deployment } = given.office;
    const { id: elsewhere } = await getBody(given.rest.post("/api/v1/projects", { name: "Elsewhere" }), 201);
    const foreign = await upload("d.txt", elsewhere);
    for (const fileId of [foreign, "fil_none"]) {
      expect(await refusal(extractAll({ fileIds: [extracted, fileId] }))).toBe("404 FILE_NOT_FOUND fileIds[1]");
    }
    for (const extractionSchemaId of [firstSchema, invoices, receipts, deployment, "sch_none", ""]) {
      expect(await refusal(extractAll({ extractionSchemaId }))).toBe("404 SCHEMA_NOT_FOUND extractionSchemaId");
    }
    expect(await refusal(extractAll({}, "mdl_none"))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
    expect(await refusal(extractAll({ fileIds: [extracted, extracted] }))).toBe("400 INVALID_REQUEST fileIds[1]");
    const models = `/api/v1/projects/${given.office.projectId}/deployments`;
    const bare = await getBody(given.rest.post(models, { name: "Bare" }), 201);
    expect(await refusal(extractAll({}, bare.id))).toBe("400 MODEL_HAS_NO_SCHEMA deploymentId");
    const outsider = createRest(given.system.url, await given.system.anotherOrganization("Outsider"));
    expect(await refusal(extractAll({}, receipts, outsider))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
  });

  it("counts files that cannot be extracted, and fails if there are no others", async () => {
    const path = `/api/v1/projects/${given.office.projectId}/files`;
    const broken = await getBody(given.rest.upload(path, "broken.pdf", Buffer.from("%PDF-1.7\nnothing of it")), 201);
    const some = await getBody(extractAll({ fileIds: [broken.id, other] }), 201);
    expect(await finishedJob(given.rest, some.id)).toMatchObject({ status: "COMPLETED", total: 2, done: 2, failed: 1 });
    const none = await getBody(extractAll({ fileIds: [broken.id] }), 201);
    expect(await finishedJob(given.rest, none.id)).toMatchObject({ status: "FAILED", total: 1, done: 1, failed: 1 });
  });

  it("needs documents:write, reading a job documents:read, and the project in reach", async () => {
    const { id: elsewhere } = await getBody(given.rest.post("/api/v1/projects", { name: "Closed" }), 201);
    const { id } = await getBody(extractAll({ fileIds: [other] }), 201);
    const [reader, writer] = [
      await tokenFor(given.office.projectId, "documents:read"),
      await tokenFor(given.office.projectId, "documents:write"),
    ];
    const outside = await tokenFor(elsewhere, "documents:write");
    await getBody(reader.get(`/api/v1/jobs/${id}`), 200);
    await getBody(writer.post(`/api/v1/jobs/${id}:cancel`), 200);
    for (const response of [
      extractAll({}, given.office.receipts, reader),
      extractAll({}, given.office.receipts, outside),
      reader.post(`/api/v1/jobs/${id}:cancel`),
      outside.post(`/api/v1/jobs/${id}:cancel`),
      writer.get(`/api/v1/jobs/${id}`),
    ])
      expect((await refusal(response)).slice(0, 3)).toBe("403");
    const outsider = createRest(given.system.url, await given.system.anotherOrganization("Stranger"));
    for (const jobId of [id, "job_none"])
      expect(await refusal(outsider.get(`/api/v1/jobs/${jobId}`))).toBe("404 JOB_NOT_FOUND jobId");
  });

  it("is cancelled at any time, even repeatedly, and a job that has ended does not change", async () => {
    const fileIds = await Promise.all(Array.from({ length: 30 }, (_, index) => upload(`many-${index}.txt`)));
    const { id } = await getBody(extractAll({ fileIds }), 201);
    const cancelled = await getBody(given.rest.post(`/api/v1/jobs/${id}:cancel`), 200);
    expect(cancelled).toMatchObject({ status: "CANCELLED", completedAt: expect.stringMatching(iso) });
    expect(await getBody(given.rest.post(`/api/v1/jobs/${id}:cancel`), 200)).toEqual(cancelled);
    expect(await getBody(given.rest.get(`/api/v1/jobs/${id}`), 200)).toEqual(cancelled);
    const { id: done } = await getBody(extractAll({ fileIds: [other] }), 201);
    const ended = await finishedJob(given.rest, done);
    expect(await getBody(given.rest.post(`/api/v1/jobs/${done}:cancel`), 200)).toEqual(ended);
  });

  it("ends when its model or project is deleted", async () => {
    const { id: projectId } = await getBody(given.rest.post("/api/v1/projects", { name: "Short-lived" }), 201);
    const body = { name: "Short-lived", tables: [{ slug: "receipt" }], columns: [{ slug: "total", name: "Total" }] };
    const model = await getBody(given.rest.post(`/api/v1/projects/${projectId}/deployments`, body), 201);
    const fileIds = await Promise.all(Array.from({ length: 40 }, (_, index) => upload(`e-${index}.txt`, projectId)));
    const { id } = await getBody(extractAll({ fileIds }, model.id), 201);
    await getBody(given.rest.send(`/api/v1/deployments/${model.id}`, { method: "DELETE" }), 204);
    expect((await finishedJob(given.rest, id)).status).toBe("FAILED");
    await getBody(given.rest.send(`/api/v1/projects/${projectId}`, { method: "DELETE" }), 204);
    const gone = async () => (await given.rest.get(`/api/v1/jobs/${id}`)).status;
    for (const deadline = Date.now() + 60_000; Date.now() < deadline && (await gone()) === 200;)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect([403, 404]).toContain(await gone());
  });

  it("is created once per idempotency key", async () => {
    const rest = createRest(given.system.url, given.system.token, { "idempotency-key": `all ${other}` });
    const first = await getBody(extractAll({ fileIds: [other] }, given.office.receipts, rest), 201);
    const again = await extractAll({ fileIds: [other] }, given.office.receipts, rest);
    expect([again.headers.get("idempotency-replayed"), again.body]).toEqual(["true", first]);
    expect((await extractAll({ fileIds: [extracted] }, given.office.receipts, rest)).status).toBe(422);
  });

  it("is the same over Connect and gRPC", async () => {
    const headers = { authorization: `Bearer ${given.system.token}` };
    for (const [name, transport] of Object.entries(createTransports(given.system))) {
      const client = createClient(JobService, transport);
      const { id } = await client.extractAll({ targetId: given.office.receipts, fileIds: [other] }, { headers });
      await finishedJob(given.rest, id);
      const job = await client.getJob({ jobId: id }, { headers });
      expect([name, job]).toMatchObject([
        name,
        { modelId: given.office.receipts, status: JobStatus.COMPLETED, done: 1 },
      ]);
      expect(await client.cancelJob({ jobId: id }, { headers })).toEqual(job);
      const { code, reason } = await client
        .getJob({ jobId: "job_none" }, { headers })
        .then(() => ({ code: 0, reason: "" }), getProblemFacts);
      expect([name, code, reason]).toEqual([name, Code.NotFound, "JOB_NOT_FOUND"]);
    }
  });
});
