import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getProblemFacts } from "@switchyard/rpc";
import { createRest } from "../../rest.ts";
import { getBody, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { invoiceText } from "../testing/sample-world.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";

const nonsense = "Zwei Boxkämpfer jagen Eva quer durch Sylt.";
const leaseText = "Lease of a flat\nLandlord: Stone & Sons\nTenant: Eva";

/** Why the classifier decided a record as it did, or would now. */
export function explanationSuite(where: Where): void {
  const given = givenTwoProjects(where);
  /** A classifier of the office, and a global one with a route into each project. */
  let inbox: Awaited<ReturnType<typeof classifierWith>>;
  let everything: Awaited<ReturnType<typeof classifierWith>>;

  beforeAll(async () => {
    const { rest, office, other } = given;
    const targets = [{ deploymentId: office.invoices }, { deploymentId: office.receipts }];
    inbox = await classifierWith(rest, office.projectId, targets);
    const wide = [{ deploymentId: office.invoices }, { deploymentId: other.model, examples: ["Lease of a flat"] }];
    everything = await classifierWith(rest, office.projectId, wide, "global");
  });

  const classify = (path: string, text: string, more: object = {}, rest = given.rest): Promise<any> =>
    getBody(rest.post(path, { text, extract: false, ...more }), 201);
  const ask = (record: any, rest = given.rest) =>
    rest.get(`/api/v1/classify/${record.classifierId}/classifications/${record.id}/explanation`);
  const explain = (record: any, rest = given.rest): Promise<any> => getBody(ask(record, rest), 200);
  const getRecord = ({ classifierId, id }: any): Promise<any> =>
    getBody(given.rest.get(`/api/v1/classify/${classifierId}/classifications/${id}`), 200);
  const getCount = async (path: string) => (await getBody(given.rest.get(path), 200)).classificationCount;
  const withoutEvidence = (scores: any[]) => scores.map((score) => ({ ...score, evidence: null }));

  it("is the decision of the current engine with its terms, and nothing is recorded", async () => {
    const record = await classify(inbox.path, invoiceText);
    const before = await getCount(inbox.path);
    const explanation = await explain(record);
    const { status, routeId, routeName, confidence, threshold, margin, engine, usage, reason } = record;
    const decision = { status, reason, routeId, routeName, confidence, threshold, margin, engine, usage };
    expect(explanation).toEqual({
      ...{ classificationId: record.id, recorded: false, sameDecision: true, ...decision },
      scores: expect.any(Array),
    });
    expect(engine).toEqual({ name: "local", version: "2", modelName: null, learnedFrom: 0, secondOpinion: null });
    expect(withoutEvidence(explanation.scores)).toEqual(record.scores);
    expect(explanation.scores[0].evidence.terms[0]).toEqual({ term: expect.any(String), weight: expect.any(Number) });
    expect(await explain(record)).toEqual(explanation);
    expect(await getRecord(record)).toEqual(record);
    expect(await getCount(inbox.path)).toBe(before);
    const { data } = await getBody(given.rest.get(`${inbox.path}/classifications`), 200);
    expect(data.map(({ id }: any) => id)).toEqual([record.id]);
  });

  it("has the terms that a record was stored with, as long as there are any", async () => {
    const { rest } = given;
    const record = await classify(inbox.path, `${invoiceText}\nStored`, { explain: true });
    const expected = await explain(record);
    expect(expected).toMatchObject({ recorded: true, sameDecision: true, scores: record.scores });
    expect(expected).toMatchObject({ engine: record.engine, routeId: record.routeId, confidence: record.confidence });
    const [first] = inbox.routes;
    await getBody(rest.patch(`${inbox.path}/routes/${first.id}`, { description: "Now about leases" }), 200);
    await getBody(rest.send(`/api/v1/files/${record.fileId}`, { method: "DELETE" }), 204);
    expect(await explain(record)).toEqual(expected);
    await getBody(rest.patch(`${inbox.path}/routes/${first.id}`, { description: "" }), 200);
  });

  it("says whether the decision is that of the record, and why a route is excluded now", async () => {
    const { rest } = given;
    const { path, routes, id } = await classifierWith(rest, given.office.projectId, [
      { deploymentId: given.office.invoices },
    ]);
    const routed = await classify(path, invoiceText);
    const left = await classify(path, nonsense);
    expect(await explain(left)).toMatchObject({ sameDecision: true, routeId: null, reason: left.reason });
    await getBody(rest.patch(`${path}/routes/${routes[0].id}`, { enabled: false }), 200);
    const out = [{ routeId: routes[0].id, score: null, eligible: false, ineligibleReason: "ROUTE_DISABLED" }];
    expect(await explain(routed)).toMatchObject({
      ...{ sameDecision: false, status: "UNCLASSIFIED", routeId: null, reason: { code: "NO_ACTIVE_ROUTE" } },
      ...{ scores: out, confidence: null, threshold: null, margin: null },
    });
    const another = await getBody(rest.post(`${path}/routes`, { deploymentId: given.office.receipts }), 201);
    const paused = await explain(routed);
    expect(paused.scores.map(({ routeId }: any) => routeId)).toEqual([routes[0].id, another.id]);
    expect(paused.scores[0].evidence.terms).not.toEqual([]);
    await getBody(rest.send(`/api/v1/classify/${id}`, { method: "DELETE" }), 204);
    expect(await refusal(ask(routed))).toBe("404 CLASSIFIER_NOT_FOUND classifierId");
  });

  it("knows what the classifier has learned since", async () => {
    const { rest, office } = given;
    const targets = [{ deploymentId: office.invoices }, { deploymentId: office.receipts }];
    const { path, routes } = await classifierWith(rest, office.projectId, targets);
    const logbook = "Bordbuch\nKurs 270, Wind aus West, Segel gerefft.";
    const record = await classify(path, logbook);
    expect(record.status).toBe("UNCLASSIFIED");
    await getBody(
      rest.post(`${path}/classifications/${record.id}:review`, { routeId: routes[1].id, extract: false }),
      200,
    );
    await expect
      .poll(() => explain(record))
      .toMatchObject({ recorded: false, sameDecision: false, routeId: routes[1].id, engine: { learnedFrom: 1 } });
    expect((await getRecord(record)).status).toBe("UNCLASSIFIED");
  });

  it("of a document that cannot be read has its reason and no terms", async () => {
    const record = await classify(inbox.path, " ");
    const explanation = await explain(record);
    expect(explanation).toMatchObject({ recorded: false, sameDecision: true, reason: { code: "EMPTY_DOCUMENT" } });
    expect(explanation.scores).toEqual(record.scores);
  });

  it("is a conflict once the file is gone, and the same over gRPC", async () => {
    const { rest, system } = given;
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` });
    const client = createClient(ClassifierService, transport);
    const call = ({ classifierId, id }: any) => client.getExplanation({ classifierId, classificationId: id }, options);
    const options = { headers: { authorization: `Bearer ${system.token}` } };
    const record = await classify(inbox.path, `${invoiceText}\nTo be deleted`);
    const { scores, ...facts } = await call(record);
    expect(facts).toMatchObject({ classificationId: record.id, recorded: false, sameDecision: true });
    expect(scores[0]?.evidence?.terms.map(({ term }) => term)).toEqual(
      (await explain(record)).scores[0].evidence.terms.map(({ term }: any) => term),
    );
    await getBody(rest.send(`/api/v1/files/${record.fileId}`, { method: "DELETE" }), 204);
    expect(await refusal(ask(record))).toBe("409 FILE_GONE");
    const gone = await call(record).then(() => undefined, getProblemFacts);
    expect(gone?.reason).toBe("FILE_GONE");
    expect(await refusal(ask({ ...record, id: "none" }))).toBe("404 CLASSIFICATION_NOT_FOUND classificationId");
    const other = { ...record, classifierId: everything.id };
    expect(await refusal(ask(other))).toBe("404 CLASSIFICATION_NOT_FOUND classificationId");
  });

  it("needs access to the record, its file and the classifier, and hides terms of routes into other projects", async () => {
    const { office, other, near, far, farReader, plain, bound, boundReader, outsider, rest } = given;
    const routed = await classify(everything.path, invoiceText);
    const abroad = await classify(everything.path, leaseText, {}, bound);
    expect([routed.projectId, abroad.projectId]).toEqual([office.projectId, other.projectId]);
    expect(await refusal(ask(routed, outsider))).toBe("404 CLASSIFICATION_NOT_FOUND classificationId");
    expect(await refusal(ask(routed, farReader))).toBe("403 CLASSIFICATION_OUT_OF_REACH");
    // They may read the record: one has made it, and the other may edit models everywhere.
    expect(await refusal(ask(abroad, bound))).toBe("403 PROJECT_OUT_OF_REACH");
    expect(await refusal(ask(routed, far))).toBe("403 PROJECT_OUT_OF_REACH");
    expect((await explain(abroad, farReader)).sameDecision).toBe(true);

    const shownIn = (scores: any[]) =>
      everything.routes.map(({ id }) => scores.find(({ routeId }) => routeId === id).evidence !== null);
    const shown = async (record: any, caller: typeof rest) => shownIn((await explain(record, caller)).scores);
    expect(await shown(routed, plain)).toEqual([true, true]);
    expect(await shown(routed, near)).toEqual([true, false]);
    expect(await shown(routed, boundReader)).toEqual([true, false]);
    const stored = await classify(everything.path, invoiceText, { explain: true });
    expect(await shown(stored, boundReader)).toEqual([true, false]);

    // Neither does a new record show terms of a document that the caller cannot read.
    const mixed = await classify(everything.path, `${invoiceText}\nof the landlord`);
    const again = async (caller: typeof rest) => {
      const path = `${everything.path}/classifications/${mixed.id}:reclassify`;
      const record = await getBody(caller.post(path, { extract: false, explain: true }), 201);
      return shownIn(record.scores);
    };
    expect(mixed.projectId).toBe(office.projectId);
    expect([await again(plain), await again(near), await again(far)]).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);

    // A document without a project can be read through its record only, by the token that made it.
    const lost = await classify(everything.path, nonsense, {}, plain);
    expect(lost.projectId).toBeNull();
    expect((await explain(lost, plain)).sameDecision).toBe(true);
    expect(await refusal(ask(lost, given.reader))).toBe("403 CLASSIFICATION_OUT_OF_REACH");

    const token = { name: "No documents", scope: "ORGANIZATION", permissions: ["classify", "models:read"] };
    const { secret } = await getBody(rest.post("/api/v1/tokens", token), 201);
    expect(await refusal(ask(routed, createRest(given.system.url, secret)))).toBe("403 MISSING_PERMISSION");

    // Without its route into the project, the classifier is no longer one that the project may use.
    await getBody(rest.send(`${everything.path}/routes/${everything.routes[0].id}`, { method: "DELETE" }), 204);
    expect(await refusal(ask(routed, boundReader))).toBe("403 CLASSIFIER_OUT_OF_REACH");
    expect((await explain(routed, near)).sameDecision).toBe(false);
  });
}
