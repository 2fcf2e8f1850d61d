import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ClassifierService, ReasonCode } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Rest } from "../../rest.ts";
import { getBody, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { invoiceText } from "../testing/sample-world.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";

const nonsense = "Zwei Boxkämpfer jagen Eva quer durch Sylt.";

/** Section 13 of the API: the classification records of a project. */
export function projectRecordSuite(where: Where): void {
  const given = givenTwoProjects(where);
  /** A classifier of the office, and a global one with a route into each project. */
  let inbox: Awaited<ReturnType<typeof classifierWith>>;
  let everything: Awaited<ReturnType<typeof classifierWith>>;
  /** The records by what happened to their document, in order of creation. */
  let routed: any, left: any, explained: any, abroad: any, stayed: any, lost: any, bound: any;

  const classify = (path: string, body: object, rest = given.rest): Promise<any> =>
    getBody(rest.post(path, { extract: false, ...body }), 201);
  const ask = (query = "", projectId = given.office.projectId, rest = given.rest) =>
    rest.get(`/api/v1/projects/${projectId}/classifications?${query}`);
  const list = async (query?: string, projectId?: string, rest?: Rest): Promise<any> =>
    getBody(ask(query, projectId, rest), 200);
  const listIds = async (query?: string, projectId?: string, rest?: Rest): Promise<string[]> =>
    (await list(query, projectId, rest)).data.map(({ id }: any) => id);
  const idsOf = (...records: any[]): string[] => records.map(({ id }) => id).reverse();

  beforeAll(async () => {
    const { rest, office, other } = given;
    inbox = await classifierWith(rest, office.projectId, [{ deploymentId: office.invoices }]);
    const targets = [{ deploymentId: office.invoices }, { deploymentId: other.model, examples: ["Lease of a flat"] }];
    everything = await classifierWith(rest, office.projectId, targets, "global");
    const upload = `/api/v1/projects/${office.projectId}/files`;
    const newFile = async (text: string) =>
      (await getBody(rest.upload(upload, "given.txt", new TextEncoder().encode(text)), 201)).id;
    routed = await classify(inbox.path, { text: invoiceText, externalId: "seen" });
    left = await classify(inbox.path, { text: nonsense });
    explained = await classify(everything.path, { text: invoiceText, explain: true });
    abroad = await classify(everything.path, { fileId: await newFile("Lease of a flat: landlord and tenant") });
    stayed = await classify(everything.path, { fileId: await newFile(nonsense) });
    lost = await classify(everything.path, { text: nonsense });
    bound = await classify(everything.path, { text: " " }, given.bound);
  });

  it("are those of all classifiers whose document is the project's, newest first", async () => {
    const { office, other } = given;
    expect(abroad).toMatchObject({ projectId: other.projectId, sourceFileId: expect.any(String) });
    expect(lost.projectId).toBeNull();
    const { data, nextPageToken } = await list();
    expect(nextPageToken).toBeNull();
    expect(data.map(({ id }: any) => id)).toEqual(idsOf(routed, left, explained, stayed, bound));
    expect(data.at(-1)).toEqual(routed);
    expect(data.every(({ projectId }: any) => projectId === office.projectId)).toBe(true);
    expect(await listIds("", other.projectId)).toEqual(idsOf(abroad));
  });

  it("can be filtered by status, reason, classifier and time, and by several of these at once", async () => {
    const all = [routed, left, explained, stayed, bound];
    const { code } = left.reason;
    expect(await listIds("status=CLASSIFIED")).toEqual(idsOf(routed, explained));
    expect(await listIds("status=UNCLASSIFIED")).toEqual(idsOf(left, stayed, bound));
    expect(await listIds("reason=EMPTY_DOCUMENT")).toEqual(idsOf(bound));
    expect(await listIds(`reason=${code}&status=UNCLASSIFIED`)).toContain(left.id);
    expect(await listIds(`reason=${code}&status=CLASSIFIED`)).toEqual([]);
    expect(await listIds(`classifierId=${inbox.id}`)).toEqual(idsOf(routed, left));
    expect(await listIds(`classifierId=${everything.id}&status=UNCLASSIFIED`)).toEqual(idsOf(stayed, bound));
    expect(await listIds("classifierId=clf_none")).toEqual([]);
    for (const { createdAt } of all) {
      const from = all.filter((each) => each.createdAt >= createdAt);
      expect(await listIds(`from=${createdAt}`)).toEqual(idsOf(...from));
      expect(await listIds(`to=${createdAt}`)).toEqual(idsOf(...all.filter((each) => !from.includes(each))));
    }
    const range = `from=${left.createdAt}&to=${bound.createdAt}&status=UNCLASSIFIED`;
    expect(await listIds(range)).toEqual(idsOf(left, stayed));
    expect(await listIds(`from=${left.createdAt}&to=${left.createdAt}`)).toEqual([]);
    expect(await listIds("from=2020-01-01T00:00:00%2B02:00&to=2020-01-02T00:00:00Z")).toEqual([]);
  });

  it("are in pages whose tokens belong to their query", async () => {
    const first = await list(`limit=2&to=${bound.createdAt}`);
    expect(first.data.map(({ id }: any) => id)).toEqual(idsOf(explained, stayed));
    const token = encodeURIComponent(first.nextPageToken);
    const second = await list(`limit=1&to=${bound.createdAt}&pageToken=${token}`);
    expect(second.data.map(({ id }: any) => id)).toEqual([left.id]);
    const third = await list(`to=${bound.createdAt}&pageToken=${encodeURIComponent(second.nextPageToken)}`);
    expect(third).toMatchObject({ data: [{ id: routed.id }], nextPageToken: null });
    for (const query of ["", `classifierId=${inbox.id}&`, "status=CLASSIFIED&", `from=${left.createdAt}&`]) {
      expect(await refusal(ask(`${query}pageToken=${token}`))).toBe("400 INVALID_REQUEST pageToken");
    }
    const near = given.other.projectId;
    expect(await refusal(ask(`to=${bound.createdAt}&pageToken=${token}`, near))).toBe("400 INVALID_REQUEST pageToken");
  });

  it("need documents:read, then an existing project in reach, and then valid values", async () => {
    const { office, other } = given;
    const wrong = "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z";
    expect(await refusal(ask("status=LOST", "prj_none"))).toBe("400 INVALID_REQUEST status");
    expect(await refusal(ask("from=yesterday", "prj_none"))).toBe("400 INVALID_REQUEST from");
    expect(await refusal(ask(wrong, "prj_none"))).toBe("404 PROJECT_NOT_FOUND projectId");
    expect(await refusal(ask(wrong, office.projectId, given.outsider))).toBe("404 PROJECT_NOT_FOUND projectId");
    expect(await refusal(ask(wrong, other.projectId, given.near))).toBe("403 PROJECT_OUT_OF_REACH");
    expect(await refusal(ask(wrong, other.projectId, given.boundReader))).toBe("403 PROJECT_OUT_OF_REACH");
    expect(await refusal(ask(wrong))).toBe("400 INVALID_REQUEST to");
    expect(await refusal(ask("limit=501"))).toBe("400 INVALID_REQUEST limit");
    const all = await listIds();
    expect(await listIds("", office.projectId, given.boundReader)).toEqual(all);
    expect(await listIds("", office.projectId, given.near)).toEqual(all);
    expect(await listIds("", other.projectId, given.farReader)).toEqual([abroad.id]);
  });

  it("show evidence only for routes into projects that the caller has access to", async () => {
    const evidence = async (rest: Rest) => {
      const { data } = await list(`classifierId=${everything.id}&status=CLASSIFIED`, given.office.projectId, rest);
      const scores = new Map<string, any>(data[0].scores.map((score: any) => [score.routeId, score.evidence]));
      return everything.routes.map(({ id }) => scores.get(id) != null);
    };
    expect(await evidence(given.plain)).toEqual([true, true]);
    expect(await evidence(given.near)).toEqual([true, false]);
  });

  it("are the same over gRPC", async () => {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${given.system.grpcPort}` });
    const headers = { authorization: `Bearer ${given.system.token}` };
    const request = { projectId: given.office.projectId, reason: ReasonCode.EMPTY_DOCUMENT };
    const page = await createClient(ClassifierService, transport).listProjectClassifications(request, { headers });
    expect(page.classifications.map(({ id }) => id)).toEqual([bound.id]);
    expect(page.nextPageToken).toBeUndefined();
  });

  it("include a document without a project once a review gives it one, and stay with their project after others", async () => {
    const { office, other, rest } = given;
    const [near, far] = everything.routes;
    const review = ({ id }: any, routeId: string | null) =>
      getBody(rest.post(`${everything.path}/classifications/${id}:review`, { routeId, extract: false }), 200);
    await review(lost, null);
    expect(await listIds("", other.projectId)).toEqual(idsOf(abroad));
    await review(lost, far.id);
    await review(lost, near.id);
    await review(explained, far.id);
    expect(await listIds("", other.projectId)).toEqual(idsOf(abroad, lost));
    expect(await listIds()).toEqual(idsOf(routed, left, explained, stayed, bound));
    const { data } = await list("status=CLASSIFIED", office.projectId);
    expect(data[0]).toMatchObject({ id: explained.id, review: { routeId: far.id } });
  });

  it("remain after their classifier was deleted, without evidence", async () => {
    const before = await listIds();
    for (const { path } of [inbox, everything]) await getBody(given.rest.send(path, { method: "DELETE" }), 204);
    expect(await listIds()).toEqual(before);
    const { data } = await list(`classifierId=${everything.id}&status=CLASSIFIED`);
    expect(data).toMatchObject([{ id: explained.id }]);
    expect(data[0].scores.every(({ evidence }: any) => evidence === null)).toBe(true);
  });
}
