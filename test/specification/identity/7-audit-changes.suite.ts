import { eventually } from "@switchyard/storage/testing";
import { createOffice, finishedExtraction } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { change, givenTrail } from "../testing/audit-trail.ts";
import { finishedExecution } from "../testing/benchmarks.ts";
import { getBody } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** Section 7 of the API: audit entries of changes in the other services, which send them to the configuration service. */
export function auditChangesSuite(where: Where): void {
  const given = givenTrail(where);
  const { everything, entries, sent, remove } = given;
  let system: TestSystem;
  let token: string;
  let admin: Rest;
  let me: any;
  beforeEach(() => ({ system, token, admin, me } = given));

  it("has every sent change of classifiers and routes, and no entry if nothing changed", async () => {
    const office = await createOffice(admin, "Payable");
    const body = { projectId: office.projectId, name: "Inbox" };
    const headers = { "content-type": "application/json", "x-request-id": "req-8", "idempotency-key": "key-8" };
    const create = () => admin.send("/api/v1/classify", { method: "POST", body: JSON.stringify(body), headers });
    const classifier = (await create()).body.id;
    expect((await create()).body.id).toBe(classifier);
    const path = `/api/v1/classify/${classifier}`;
    expect((await admin.post("/api/v1/classify", body)).status).toBe(409);
    const target = { deploymentId: office.invoices, targetDeploymentId: office.deployment };
    const route = (await admin.post(`${path}/routes`, { ...target, name: "Bills", examples: ["Invoice"] })).body.id;
    expect((await admin.post(`${path}/routes`, target)).status).toBe(409);
    for (const changes of [
      { description: "x".repeat(600), settings: { pages: 2 } },
      { description: "x".repeat(600) },
      {},
    ]) {
      await admin.patch(path, changes);
    }
    for (const changes of [
      { enabled: false, targetDeploymentId: null },
      { enabled: false },
      { examples: ["A", "B"] },
    ]) {
      await admin.patch(`${path}/routes/${route}`, changes);
    }
    for (const verb of ["makeGlobal", "makeGlobal", "makeProjectScoped"]) await admin.post(`${path}:${verb}`);
    await remove(`${path}/routes/${route}`);
    expect((await remove(`${path}/routes/${route}`)).status).toBe(404);
    await remove(path);
    await sent("classifier.delete", classifier);

    const found = (await entries()).filter(({ targetId }) => [classifier, route].includes(targetId)).toReversed();
    const numbers = { minConfidence: null, minMargin: null, pages: null };
    const defaults = { engine: "local", modelName: null, ...numbers, secondOpinion: null };
    const about = { classifierId: classifier };
    expect(found.map(({ action, targetId, changes }) => [action, targetId, changes])).toEqual([
      ["classifier.create", classifier, { name: "Inbox", projectId: office.projectId }],
      ["route.add", route, { ...about, ...target, name: "Bills", examples: { added: 1, removed: 0 } }],
      [
        "classifier.update",
        classifier,
        { description: change("", `${"x".repeat(500)}…`), settings: change(defaults, { ...defaults, pages: 2 }) },
      ],
      [
        "route.update",
        route,
        { ...about, enabled: change(true, false), targetDeploymentId: change(office.deployment, null) },
      ],
      ["route.update", route, { ...about, examples: { added: 2, removed: 1 } }],
      ["classifier.makeGlobal", classifier, { projectId: change(office.projectId, null) }],
      ["classifier.makeProjectScoped", classifier, { projectId: change(null, office.projectId) }],
      ["route.delete", route, { ...about, deploymentId: office.invoices, targetDeploymentId: null, name: "Bills" }],
      ["classifier.delete", classifier, { name: "Inbox", projectId: office.projectId }],
    ]);
    for (const entry of found) {
      expect(entry).toMatchObject({ outcome: "DONE", tokenId: me.token.id, userId: me.user.id });
      expect(entry.id).toMatch(/^aud_/);
    }
    expect(found[0].requestId).toBe("req-8");
    expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).toSorted());

    // Resources that are deleted with their project have no entries. The next change of a classifier would come after them.
    await remove(`/api/v1/projects/${office.projectId}`);
    const gone = `/api/v1/classify/${office.classifier}`;
    await eventually("the classifier is gone", async () => ((await admin.get(gone)).status === 404 ? true : undefined));
    const next = await createOffice(admin, "Receivable");
    await sent("classifier.create", next.classifier);
    expect(await everything("?action=classifier.delete")).toHaveLength(1);
    expect(await everything("?action=route.delete")).toHaveLength(1);
  });

  it("has every sent change of files and accepted values, but no content of documents", async () => {
    const office = await createOffice(admin, "Payable");
    const { projectId, receipts } = office;
    const text = "Corner shop\nTotal 4711.50";
    const files = `/api/v1/projects/${projectId}/files`;
    const keyed = createRest(system.url, token, { "idempotency-key": "key-9" });
    const upload = (name: string, rest = admin) => getBody(rest.upload(files, name, Buffer.from(text)), 201);
    const { id: file } = await upload("receipt.txt", keyed);
    expect((await upload("receipt.txt", keyed)).id).toBe(file);
    const { id: other } = await upload("other.txt");

    const values = `/api/v1/files/${file}/accepted-values`;
    const set = (row: object) => {
      const tables = [{ slug: "receipt", rows: [{ values: row }] }];
      const body = JSON.stringify({ deploymentId: receipts, tables });
      return admin.send(values, { method: "PUT", body, headers: { "content-type": "application/json" } });
    };
    expect((await set({ total: "4711.50" })).status).toBe(400);
    for (const row of [{ total: 4711.5 }, { total: 4711.5 }, { total: 4711.5, company: "Corner shop" }]) {
      await getBody(set(row), 200);
    }
    const lines = [
      { filename: "receipt.txt", values: { company: "Corner shop", total: 4711.5 } },
      { filename: "other.txt", values: { total: 4711.5 } },
      { filename: "other.txt", values: { total: "a lot" } },
    ];
    const sheet = Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
    const imported = `/api/v1/projects/${projectId}/accepted-values:import`;
    for (let round = 0; round < 2; round += 1) {
      const response = await getBody(admin.upload(imported, "all.jsonl", sheet, { deploymentId: receipts }), 200);
      expect(response).toMatchObject({ accepted: 2, rejected: 1 });
    }
    const path = `/api/v1/deployments/${receipts}/extractions`;
    const { id: extraction } = await getBody(admin.post(path, { fileId: other }), 201);
    const { tables } = await finishedExtraction(admin, extraction);
    for (let round = 0; round < 2; round += 1) {
      await getBody(admin.post(`/api/v1/extractions/${extraction}:accept`), 200);
    }
    const taken = [
      await remove(`${values}?deploymentId=${receipts}`),
      await remove(`${values}?deploymentId=${receipts}`),
    ];
    expect(taken.map(({ status }) => status)).toEqual([204, 404]);
    for (const id of [file, other]) {
      const removed = await Promise.all(Array.from({ length: 3 }, () => remove(`/api/v1/files/${id}`)));
      expect(removed.map(({ status }) => status)).toContain(204);
      expect((await remove(`/api/v1/files/${id}`)).status).toBe(404);
    }
    await sent("file.delete", other);

    const found = (await entries()).filter(({ targetId }) => [file, other].includes(targetId)).toReversed();
    const about = { deploymentId: receipts };
    const [accepted, single] = [change(false, true), { slug: "receipt", rows: change(0, 1) }];
    const presentation = { projectId, size: text.length };
    expect(found.slice(0, 5).map(({ action, targetId, changes }) => [action, targetId, changes])).toEqual([
      ["file.upload", file, { ...presentation, filename: "receipt.txt" }],
      ["file.upload", other, { ...presentation, filename: "other.txt" }],
      ["acceptedValues.set", file, { ...about, accepted, tables: [{ ...single, columns: ["total"] }] }],
      ["acceptedValues.set", file, { ...about, tables: [{ slug: "receipt", columns: ["company"] }] }],
      ["acceptedValues.import", other, { ...about, accepted, tables: [{ ...single, columns: ["total"] }] }],
    ]);
    // Which columns have values depends on the extraction, which is not tested here.
    const slugs = tables.map(({ slug }: any) => slug);
    expect(found[5]).toMatchObject({
      action: "acceptedValues.accept",
      targetId: other,
      changes: { ...about, extractionId: extraction },
    });
    expect(slugs).toEqual(expect.arrayContaining(found[5].changes.tables.map(({ slug }: any) => slug)));
    const none = [{ slug: "receipt", rows: change(1, 0), columns: ["company", "total"] }];
    expect(found.slice(6).map(({ action, targetId, changes }) => [action, targetId, changes])).toEqual([
      ["acceptedValues.delete", file, { ...about, accepted: change(true, false), tables: none }],
      ["file.delete", file, { ...presentation, filename: "receipt.txt", accepted: false }],
      ["file.delete", other, { ...presentation, filename: "other.txt", accepted: true }],
    ]);
    for (const entry of found) {
      expect(entry).toMatchObject({ outcome: "DONE", tokenId: me.token.id, userId: me.user.id });
      expect(JSON.stringify(entry.changes)).not.toMatch(/4711|corner/i);
    }
  });

  it("has every sent change of benchmark runs, and only changes that were requested", async () => {
    const office = await createOffice(admin, "Payable");
    const { projectId, receipts } = office;
    const upload = admin.upload(`/api/v1/projects/${projectId}/files`, "receipt.txt", Buffer.from("Total 12.50"));
    const { id: file } = await getBody(upload, 201);
    const sheet = Buffer.from(JSON.stringify({ fileId: file, values: { total: 12.5 } }));
    const imported = `/api/v1/projects/${projectId}/accepted-values:import`;
    await getBody(admin.upload(imported, "all.jsonl", sheet, { deploymentId: receipts }), 200);

    const keyed = createRest(system.url, token, { "idempotency-key": "key-10" });
    const runs = `/api/v1/projects/${projectId}/benchmarks`;
    const create = (name: string, rest = admin) => rest.post(runs, { deploymentId: receipts, name });
    const { executionId: run } = await getBody(create(" Nightly ", keyed), 201);
    expect((await getBody(create(" Nightly ", keyed), 201)).executionId).toBe(run);
    expect((await create("")).status).toBe(400);
    await finishedExecution(admin, run);
    // A run that has ended does not change.
    await getBody(admin.post(`/api/v1/benchmarks/${run}:cancel`), 200);
    const removed = [await remove(`/api/v1/benchmarks/${run}`), await remove(`/api/v1/benchmarks/${run}`)];
    expect(removed.map(({ status }) => status)).toEqual([204, 404]);
    const { executionId: last } = await getBody(create("Weekly"), 201);
    // Runs that are deleted with their project have no entries. The next entry would come after them.
    await remove(`/api/v1/projects/${projectId}`);
    const gone = async () => ((await admin.get(`/api/v1/benchmarks/${last}`)).status === 404 ? true : undefined);
    await eventually("the run is gone", gone);
    await sent("execution.create", last);

    const found = (await entries()).filter(({ action }) => action.startsWith("execution.")).toReversed();
    const about = { projectId, deploymentId: receipts, fileCount: 1 };
    expect(found.map(({ action, targetId, changes }) => [action, targetId, changes])).toEqual([
      ["execution.create", run, { ...about, name: "Nightly" }],
      ["execution.delete", run, { name: "Nightly", projectId }],
      ["execution.create", last, { ...about, name: "Weekly" }],
    ]);
    for (const entry of found) expect(entry).toMatchObject({ tokenId: me.token.id, userId: me.user.id });
  });
}
