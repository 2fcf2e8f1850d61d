import { finishedExtraction } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { getBody, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { invoiceText } from "../testing/sample-world.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";

const nonsense = "Zwei Boxkämpfer jagen Eva quer durch Sylt.";

/** Section 3 of the API: what people say about classified documents. */
export function reviewSuite(where: Where): void {
  const given = givenTwoProjects(where);
  /** Routes to the invoices and the receipts of the office. */
  let inbox: Awaited<ReturnType<typeof classifierWith>>;
  /** A global classifier with a route into each project. */
  let everything: Awaited<ReturnType<typeof classifierWith>>;
  /** A project token of the office, and an organization token of the other project, which may review. */
  let bound: Rest;
  let far: Rest;

  const routeTo = (deploymentId: string) => ({ deploymentId });
  const classify = (path: string, body: object, rest = given.rest) => getBody(rest.post(path, body), 201);
  const recordPath = ({ classifierId, id }: any) => `/api/v1/classify/${classifierId}/classifications/${id}`;
  const review = (record: any, body: object, rest = given.rest) => rest.post(`${recordPath(record)}:review`, body);
  const listReview = async (projectId = given.office.projectId, rest = given.rest): Promise<any[]> =>
    (await getBody(rest.get(`/api/v1/projects/${projectId}/review?kind=CLASSIFICATION&limit=500`), 200)).data;
  const isListed = async (record: any, projectId?: string, rest?: Rest) =>
    (await listReview(projectId, rest)).some(({ classificationId }) => classificationId === record.id);

  beforeAll(async () => {
    const { rest, office, other, system } = given;
    const permissions = ["classify", "documents:read", "documents:write", "models:read"];
    const { user } = await getBody(rest.get("/api/v1/me"), 200);
    const token = async (body: object) =>
      createRest(
        system.url,
        (await getBody(rest.post("/api/v1/tokens", { name: "Reviewer", permissions, ...body }), 201)).secret,
      );
    const team = { name: "Far", projectIds: [other.projectId], userIds: [user.id] };
    const { id: teamId } = await getBody(rest.post("/api/v1/teams", team), 201);
    bound = await token({ scope: "PROJECT", projectId: office.projectId });
    far = await token({ scope: "ORGANIZATION", teamIds: [teamId] });
  });

  // Classifiers learn from the reviews of a test, and would decide the documents of the next one differently.
  beforeEach(async () => {
    const { rest, office, other } = given;
    inbox = await classifierWith(rest, office.projectId, [routeTo(office.invoices), routeTo(office.receipts)]);
    const targets = [routeTo(office.invoices), routeTo(other.model)];
    everything = await classifierWith(rest, office.projectId, targets, "global");
  });

  it("keeps the decision of the record, adds the review, and extracts the document by the right model", async () => {
    const { office, rest } = given;
    const [invoices, receipts] = inbox.routes;
    const record = await classify(inbox.path, { text: invoiceText });
    expect(record).toMatchObject({ status: "CLASSIFIED", routeId: invoices.id, review: null });
    const reviewed = await getBody(review(record, { routeId: receipts.id }), 200);
    const { user } = await getBody(rest.get("/api/v1/me"), 200);
    const { extraction } = reviewed;
    expect(reviewed).toEqual({
      ...record,
      review: { routeId: receipts.id, reviewedBy: user.id, reviewedAt: expect.any(String) },
      extraction: { id: expect.stringMatching(/^ext_/), status: expect.any(String) },
    });
    expect(extraction.id).not.toBe(record.extraction.id);
    const extracted = await finishedExtraction(rest, extraction.id);
    expect(extracted).toMatchObject({ fileId: record.fileId, deploymentId: office.receipts, targetDeploymentId: null });
    expect(await getBody(rest.get(recordPath(record)), 200)).toMatchObject({
      ...{ review: reviewed.review, extraction: { id: extraction.id, status: "COMPLETED" } },
    });
  });

  it("starts no extraction where one by the target exists already, and the last answer counts", async () => {
    const { rest } = given;
    const [invoices, receipts] = inbox.routes;
    const record = await classify(inbox.path, { text: invoiceText });
    await finishedExtraction(rest, record.extraction.id);
    const same = await getBody(review(record, { routeId: invoices.id }), 200);
    expect(same.extraction).toEqual({ id: record.extraction.id, status: "COMPLETED" });
    const other = await getBody(review(record, { routeId: receipts.id }), 200);
    await finishedExtraction(rest, other.extraction.id);
    const back = await getBody(review(record, { routeId: invoices.id }), 200);
    expect(back).toMatchObject({ review: { routeId: invoices.id }, extraction: { id: record.extraction.id } });
    const again = await getBody(review(record, { routeId: receipts.id }), 200);
    expect(again).toMatchObject({ review: { routeId: receipts.id }, extraction: { id: other.extraction.id } });
    const query = `fileId=${record.fileId}`;
    const { data } = await getBody(rest.get(`/api/v1/projects/${given.office.projectId}/extractions?${query}`), 200);
    expect(data).toHaveLength(2);
  });

  it("answers with the current status of an extraction that stays", async () => {
    const record = await classify(inbox.path, { text: invoiceText });
    await finishedExtraction(given.rest, record.extraction.id);
    const [, receipts] = inbox.routes;
    for (const body of [{ routeId: null }, { routeId: receipts.id, extract: false }]) {
      const reviewed = await getBody(review(record, body), 200);
      expect(reviewed.extraction).toEqual({ id: record.extraction.id, status: "COMPLETED" });
    }
  });

  it("starts no extraction if extract is false, or if the document belongs to no route", async () => {
    const record = await classify(inbox.path, { text: invoiceText, extract: false });
    const [, receipts] = inbox.routes;
    expect((await getBody(review(record, { routeId: receipts.id, extract: false }), 200)).extraction).toBeNull();
    const reviewed = await getBody(review(record, { routeId: null }), 200);
    expect(reviewed).toMatchObject({ ...record, review: { routeId: null } });
  });

  it("gives the project of the route a file: the same one, or one of its own over the same bytes", async () => {
    const { rest, office, other } = given;
    const [near, leases] = everything.routes;
    const unplaced = await classify(everything.path, { text: nonsense, extract: false });
    expect(unplaced).toMatchObject({ status: "UNCLASSIFIED", projectId: null });
    await getBody(review(unplaced, { routeId: leases.id, extract: false }), 200);
    expect(await getBody(rest.get(`/api/v1/files/${unplaced.fileId}`), 200)).toMatchObject({
      projectId: other.projectId,
    });
    expect(await getBody(far.get(recordPath(unplaced)), 200)).toMatchObject({ id: unplaced.id });

    const routed = await classify(everything.path, { text: invoiceText, extract: false });
    expect(routed).toMatchObject({ routeId: near.id, projectId: office.projectId });
    const moved = await getBody(review(routed, { routeId: leases.id }), 200);
    expect(moved).toMatchObject({ fileId: routed.fileId, projectId: office.projectId });
    const { fileId } = await finishedExtraction(rest, moved.extraction.id);
    expect(fileId).not.toBe(routed.fileId);
    const [own, original] = await Promise.all(
      [fileId, routed.fileId].map((id) => getBody(rest.get(`/api/v1/files/${id}`), 200)),
    );
    expect([own.projectId, original.projectId]).toEqual([other.projectId, office.projectId]);
    expect(own.sha256).toBe(original.sha256);
  });

  it("takes the file that was given to the classifier in the project of that file", async () => {
    const { rest, other } = given;
    const [, leases] = everything.routes;
    const path = `/api/v1/projects/${other.projectId}/files`;
    const file = await getBody(rest.upload(path, "a.txt", Buffer.from(invoiceText)), 201);
    const record = await classify(everything.path, { fileId: file.id, extract: false });
    expect(record).toMatchObject({ sourceFileId: file.id, projectId: given.office.projectId });
    const reviewed = await getBody(review(record, { routeId: leases.id }), 200);
    expect(reviewed.fileId).toBe(record.fileId);
    expect(await finishedExtraction(rest, reviewed.extraction.id)).toMatchObject({ fileId: file.id });
  });

  it("gives a project one file and one extraction, however many are made at the same time", async () => {
    const { rest, office, other } = given;
    const [near, leases] = everything.routes;
    const record = await classify(everything.path, { text: `${invoiceText} At the same time.`, extract: false });
    expect(record.projectId).toBe(office.projectId);
    for (const [{ id: routeId }, projectId] of [
      [near, office.projectId],
      [leases, other.projectId],
    ] as const) {
      const all = await Promise.all(Array.from({ length: 5 }, () => getBody(review(record, { routeId }), 200)));
      const ids = new Set(all.map(({ extraction }) => extraction.id));
      expect(ids.size).toBe(1);
      const { fileId } = await finishedExtraction(rest, [...ids][0] ?? "");
      const path = `/api/v1/projects/${projectId}/extractions?fileId=${fileId}`;
      expect((await getBody(rest.get(path), 200)).data).toHaveLength(1);
    }
  });

  it("can be taken back; file and extraction stay", async () => {
    const { rest } = given;
    const [, receipts] = inbox.routes;
    const record = await classify(inbox.path, { text: invoiceText });
    const reviewed = await getBody(review(record, { routeId: receipts.id }), 200);
    await finishedExtraction(rest, reviewed.extraction.id);
    const remove = () => rest.send(`${recordPath(record)}/review`, { method: "DELETE" });
    await getBody(remove(), 204);
    expect(await getBody(rest.get(recordPath(record)), 200)).toMatchObject({
      ...{ review: null, extraction: { id: reviewed.extraction.id } },
    });
    await getBody(rest.get(`/api/v1/files/${record.fileId}`), 200);
    expect(await refusal(remove())).toBe("404 REVIEW_NOT_FOUND classificationId");
  });

  it("needs a routeId, which can be null, of this classifier", async () => {
    const record = await classify(inbox.path, { text: invoiceText, extract: false });
    const foreign = everything.routes[0].id;
    expect(await refusal(review(record, {}))).toBe("400 INVALID_REQUEST routeId");
    expect(await refusal(review(record, { routeId: "" }))).toBe("400 INVALID_REQUEST routeId");
    expect(await refusal(review(record, { routeId: foreign }))).toBe("400 INVALID_REQUEST routeId");
    expect(await refusal(review(record, { routeId: null, unknown: 1 }))).toBe("400 INVALID_REQUEST unknown");
    expect(await refusal(review({ ...record, id: "none" }, { routeId: null }))).toBe(
      "404 CLASSIFICATION_NOT_FOUND classificationId",
    );
    const elsewhere = { ...record, classifierId: everything.id };
    expect(await refusal(review(elsewhere, { routeId: null }))).toBe("404 CLASSIFICATION_NOT_FOUND classificationId");
  });

  it("needs a readable record, a route in reach, and no project token for a global classifier", async () => {
    const [, leases] = everything.routes;
    const routed = await classify(everything.path, { text: invoiceText, extract: false });
    expect(await refusal(review(routed, { routeId: null }, far))).toBe("403 CLASSIFICATION_OUT_OF_REACH");
    expect(await refusal(review(routed, { routeId: leases.id }, bound))).toBe("403 GLOBAL_CLASSIFIER");
    const own = await classify(everything.path, { text: invoiceText, extract: false }, far);
    const outOfReach = everything.routes[0].id;
    expect(await refusal(review(own, { routeId: outOfReach }, far))).toBe("403 PROJECT_OUT_OF_REACH");
    await getBody(review(own, { routeId: leases.id, extract: false }, far), 200);
    const project = await classify(inbox.path, { text: invoiceText, extract: false });
    await getBody(review(project, { routeId: null }, bound), 200);
    expect(await refusal(review(project, { routeId: null }, given.reader))).toBe("403 MISSING_PERMISSION");
    expect(await refusal(review(project, { routeId: null }, given.outsider))).toBe(
      "404 CLASSIFIER_NOT_FOUND classifierId",
    );
  });

  it("is listed until it is made, the most useful first, for whoever may read the record", async () => {
    const { office, other } = given;
    const own = await classify(inbox.path, { text: nonsense });
    const blank = await classify(inbox.path, { text: " " });
    const global = await classify(everything.path, { text: nonsense });
    const items = await listReview();
    const order = items.map(({ classificationId }) => classificationId);
    expect(order.indexOf(own.id)).toBeLessThan(order.indexOf(blank.id));
    expect(items.find(({ classificationId }) => classificationId === own.id)).toEqual({
      kind: "CLASSIFICATION",
      classificationId: own.id,
      extractionId: null,
      fileId: own.fileId,
      filename: own.filename,
      reason: own.reason,
      confidence: own.confidence,
      createdAt: own.createdAt,
      classifierId: own.classifierId,
    });
    expect([await isListed(global), await isListed(global, other.projectId)]).toEqual([true, true]);
    expect([await isListed(global, other.projectId, far), await isListed(own, other.projectId)]).toEqual([
      false,
      false,
    ]);
    const foreign = await classify(everything.path, { text: nonsense }, far);
    expect([await isListed(foreign, other.projectId, far), await isListed(foreign)]).toEqual([true, true]);

    await getBody(review(own, { routeId: null }), 200);
    expect(await isListed(own)).toBe(false);
    await getBody(given.rest.send(`${recordPath(own)}/review`, { method: "DELETE" }), 204);
    expect(await isListed(own)).toBe(true);
    const { data } = await getBody(given.rest.get(`/api/v1/projects/${office.projectId}/review?kind=EXTRACTION`), 200);
    expect(data.filter(({ kind }: any) => kind !== "EXTRACTION")).toEqual([]);
  });

  it("stays listed without a project when its global classifier becomes that of a project", async () => {
    const { rest, office, other } = given;
    const record = await classify(everything.path, { text: nonsense });
    expect(record).toMatchObject({ status: "UNCLASSIFIED", projectId: null });
    const [near, leases] = everything.routes;
    await getBody(rest.send(`${everything.path}/routes/${leases.id}`, { method: "DELETE" }), 204);
    const scoped = await getBody(rest.post(`${everything.path}:makeProjectScoped`), 200);
    expect(scoped.projectId).toBe(office.projectId);
    expect([await isListed(record), await isListed(record, other.projectId)]).toEqual([true, false]);
    await getBody(rest.post(`${everything.path}:makeGlobal`), 200);
    expect(await isListed(record)).toBe(true);
    await getBody(review(record, { routeId: near.id, extract: false }), 200);
    expect(await isListed(record)).toBe(false);
  });

  it("lists every record once over pages, and nothing of deleted classifiers and files", async () => {
    const { rest, office } = given;
    const { path, id } = await classifierWith(rest, office.projectId, [routeTo(office.receipts)]);
    const records = [];
    for (let each = 0; each < 5; each += 1) records.push(await classify(path, { text: `${nonsense} ${each}` }));
    const found: string[] = [];
    const listPath = `/api/v1/projects/${office.projectId}/review?kind=CLASSIFICATION&limit=2`;
    for (let next: string | null = ""; next !== null;) {
      const page: any = await getBody(rest.get(`${listPath}${next === "" ? "" : `&pageToken=${next}`}`), 200);
      found.push(...page.data.map(({ classificationId }: any) => classificationId));
      next = page.nextPageToken;
    }
    expect(new Set(found).size).toBe(found.length);
    expect(records.filter((record) => !found.includes(record.id))).toEqual([]);

    const [first] = records;
    await getBody(rest.send(`/api/v1/files/${first.fileId}`, { method: "DELETE" }), 204);
    await expect.poll(() => isListed(first)).toBe(false);
    await getBody(rest.send(`/api/v1/classify/${id}`, { method: "DELETE" }), 204);
    const left = (await listReview()).map(({ classificationId }) => classificationId);
    expect(records.filter((record) => left.includes(record.id))).toEqual([]);
  });
}
