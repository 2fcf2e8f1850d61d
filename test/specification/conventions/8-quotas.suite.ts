import { databaseName, setQuotas, type QuotaChanges } from "@switchyard/configuration";
import { connectStorage, type Storage } from "@switchyard/storage";
import { eventually } from "@switchyard/storage/testing";
import { createRest, type Rest, type RestResponse } from "../../rest.ts";
import type { Running } from "../../system.ts";
import { getBody, givenSystem, type Where } from "../testing/office.ts";

/** Section 8 of the API: the quotas of an organization, even if its requests race across replicas of the services, where there are any. */
export function quotaSuite(where: Where): void {
  const given = givenSystem(where);
  let replica: Running | undefined;
  let storage: Storage;
  beforeAll(async () => {
    if (where === "replicas") replica = await given.system.replica();
    storage = await connectStorage({ uri: given.system.uri, database: databaseName });
  });
  afterAll(async () => {
    await storage?.close();
    await replica?.close();
  });

  /** Creates an organization with these quotas, and its project. Returns the API of each replica. */
  async function createOrganization(name: string, quotas: QuotaChanges) {
    const token = await given.system.anotherOrganization(name);
    const rest = createRest(given.system.url, token);
    const other = createRest(replica?.url ?? given.system.url, token);
    const me = await getBody(rest.get("/api/v1/me"), 200);
    await setQuotas(storage, me.organization.id, quotas);
    const project = await getBody(rest.post("/api/v1/projects", { name: "Payable" }), 201);
    return { rest, other, projectId: project.id as string, organizationId: me.organization.id as string };
  }

  /** Sends requests at the same time, and returns those that succeeded. All others must exceed the quota. */
  async function race(
    requests: number,
    send: (index: number) => Promise<RestResponse>,
    expected: { quota: string; limit: number },
  ): Promise<RestResponse[]> {
    const responses = await Promise.all(Array.from({ length: requests }, (_, index) => send(index)));
    for (const { status, body } of responses.filter(({ status }) => status !== 201)) {
      const { quota, limit } = expected;
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { code: "QUOTA_EXCEEDED", quota, limit, errors: [{ field: "", message: body.detail }] },
      });
      expect(body.detail).toMatch(`The organization may have at most ${limit} `);
    }
    return responses.filter(({ status }) => status === 201);
  }

  const remove = async (rest: Rest, path: string): Promise<void> => {
    expect((await rest.send(path, { method: "DELETE" })).status).toBe(204);
  };

  it("limit classifiers, even if they are created concurrently, until one or their project is deleted", async () => {
    const { rest, other, projectId } = await createOrganization("Classifiers", { classifiers: 3 });
    const create = (index: number, name = `Classifier ${index}`) =>
      (index % 2 === 0 ? rest : other).post("/api/v1/classify", { projectId, name });
    const expected = { quota: "classifiers", limit: 3 };
    const created = await race(8, create, expected);
    expect(created).toHaveLength(3);
    expect((await create(9)).body.used).toBe(3);
    // A name that is taken is reported first.
    expect((await create(9, created[0]?.body.name)).body.code).toBe("CLASSIFIER_NAME_TAKEN");
    await remove(rest, `/api/v1/classify/${created[0]?.body.id}`);
    expect(await race(4, (index) => create(index, `Again ${index}`), expected)).toHaveLength(1);
    await remove(rest, `/api/v1/projects/${projectId}`);
    const next = await getBody(rest.post("/api/v1/projects", { name: "Next" }), 201);
    await eventually("the deletion of the project", async () => {
      const { status } = await rest.post("/api/v1/classify", { projectId: next.id, name: "Next" });
      return status === 201 ? status : undefined;
    });
  });

  it("limit models and versions of schemas, until a model or its project is deleted", async () => {
    const { rest, other, projectId } = await createOrganization("Models", { models: 3, schemaVersions: 4 });
    const create = (index: number, name = `Model ${index}`) => {
      const body = {
        name,
        tables: [{ slug: "invoice", isPrimary: true }],
        columns: [{ slug: "total", name: "Total" }],
      };
      return (index % 2 === 0 ? rest : other).post(`/api/v1/projects/${projectId}/deployments`, body);
    };
    const created = await race(8, create, { quota: "models", limit: 3 });
    expect(created).toHaveLength(3);
    expect((await create(9, created[0]?.body.name)).body.code).toBe("NAME_TAKEN");
    const [first, second] = created.map(({ body }) => String(body.deploymentId ?? body.id));
    const change = (index: number) =>
      (index % 2 === 0 ? rest : other).patch(`/api/v1/deployments/${first}/configuration`, {
        instructions: `Version ${index}`,
      });
    const changed = await Promise.all([1, 2, 3].map(change));
    expect(changed.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of changed.filter((response) => response.status !== 200)) {
      expect([status, body.code, body.quota, body.used]).toEqual([400, "QUOTA_EXCEEDED", "schemaVersions", 4]);
    }
    // The model had two versions.
    await remove(rest, `/api/v1/deployments/${first}`);
    expect((await create(10)).status).toBe(201);
    expect((await rest.patch(`/api/v1/deployments/${second}/configuration`, { instructions: "New" })).status).toBe(200);
    await remove(rest, `/api/v1/projects/${projectId}`);
    const next = await getBody(rest.post("/api/v1/projects", { name: "Next" }), 201);
    const models = Array.from({ length: 5 }, (_, index) =>
      rest.post(`/api/v1/projects/${next.id}/deployments`, { name: `Next ${index}` }),
    );
    expect((await Promise.all(models)).filter(({ status }) => status === 201)).toHaveLength(3);
  });

  it("limit stored bytes, of uploads and of documents that are classified, until a file is deleted", async () => {
    const { rest, other, projectId, organizationId } = await createOrganization("Bytes", { storedBytes: 1_000 });
    const upload = (index: number) =>
      (index % 2 === 0 ? rest : other).upload(
        `/api/v1/projects/${projectId}/files`,
        `${index}.txt`,
        Buffer.from(`Invoice ${index} `.padEnd(300, "x")),
      );
    const expected = { quota: "storedBytes", limit: 1_000 };
    const stored = await race(8, upload, expected);
    expect(stored).toHaveLength(3);
    expect((await upload(9)).body).toMatchObject({ used: 900 });
    const classifier = await getBody(rest.post("/api/v1/classify", { projectId, name: "Post" }), 201);
    const document = Buffer.from("Invoice ".repeat(20));
    const refused = await rest.upload(`/api/v1/classify/${classifier.id}`, "a.txt", document);
    expect([refused.status, refused.body.code]).toEqual([400, "QUOTA_EXCEEDED"]);
    await remove(rest, `/api/v1/files/${stored[0]?.body.id}`);
    expect(await race(4, (index) => upload(index + 10), expected)).toHaveLength(1);

    await setQuotas(storage, organizationId, { storedBytes: 1_200 });
    await eventually("the new quota", async () => ((await upload(20)).status === 201 ? true : undefined));
    expect((await upload(21)).status).toBe(400);
  });
}
