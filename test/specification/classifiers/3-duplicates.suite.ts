import { finishedExtraction } from "../../journeys/fixture.ts";
import { getBody } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { invoiceText } from "../testing/sample-world.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";

const warning = { code: "DUPLICATE_FILE", message: "The project already had a file with the same bytes." };
/** The number of requests that are sent at the same time. */
const parallel = 6;

/** Sections 3 and 4 of the API: the warning of files whose project already had the same bytes, and of their records. */
export function duplicateSuite(where: Where): void {
  const given = givenTwoProjects(where);
  let texts = 0;
  let classifier: Awaited<ReturnType<typeof classifierWith>>;

  beforeAll(async () => {
    const { rest, office } = given;
    classifier = await classifierWith(rest, office.projectId, [{ deploymentId: office.invoices }], "global");
  });

  /** Returns an invoice that no other test uses. */
  const createText = () => `${invoiceText}Reference: duplicate ${(texts += 1)}\n`;
  const upload = (text: string, projectId = given.office.projectId): Promise<any> =>
    getBody(given.rest.upload(`/api/v1/projects/${projectId}/files`, "a.txt", Buffer.from(text)), 201);
  const classify = (body: object): Promise<any> => getBody(given.rest.post(classifier.path, body), 201);
  const getFile = (id: string): Promise<any> => getBody(given.rest.get(`/api/v1/files/${id}`), 200);
  const getRecord = (id: string): Promise<any> =>
    getBody(given.rest.get(`${classifier.path}/classifications/${id}`), 200);
  const inParallel = (work: () => Promise<any>): Promise<any[]> =>
    Promise.all(Array.from({ length: parallel }, () => work()));
  const expectOneFirst = (results: readonly { warnings: unknown }[]) => {
    const duplicates = Array.from({ length: results.length - 1 }, () => [warning]);
    const warnings = results.map((each) => each.warnings as unknown[]);
    expect(warnings.toSorted((left, right) => left.length - right.length)).toEqual([[], ...duplicates]);
  };

  it("is on the later file of a project and its extractions, even when the earlier file is deleted", async () => {
    const { rest, office, other } = given;
    const text = createText();
    const [first, second, elsewhere] = [await upload(text), await upload(text), await upload(text, other.projectId)];
    expect([first, second, elsewhere].map(({ warnings }) => warnings)).toEqual([[], [warning], []]);
    const extract = async (fileId: string) => {
      const path = `/api/v1/deployments/${office.invoices}/extractions`;
      return finishedExtraction(rest, (await getBody(rest.post(path, { fileId }), 201)).id, 60_000);
    };
    expect((await extract(first.id)).warnings).toEqual([]);
    expect((await extract(second.id)).warnings).toEqual([warning]);
    await getBody(rest.send(`/api/v1/files/${first.id}`, { method: "DELETE" }), 204);
    expect(await getFile(second.id)).toEqual(second);
    const { data } = await getBody(rest.get(`/api/v1/projects/${office.projectId}/files?limit=50`), 200);
    expect(data.find(({ id }: any) => id === second.id)).toEqual(second);
  });

  it("is on a replayed upload as on the first answer", async () => {
    const text = createText();
    await upload(text);
    const send = () => {
      const body = new FormData();
      body.append("file", new Blob([text]), "a.txt");
      const headers = { "idempotency-key": `duplicate ${texts}` };
      return given.rest.send(`/api/v1/projects/${given.office.projectId}/files`, { method: "POST", body, headers });
    };
    const [answer, replayed] = [await getBody(send(), 201), await getBody(send(), 201)];
    expect(answer.warnings).toEqual([warning]);
    expect(replayed).toEqual(answer);
  });

  it.each([0, 40_000])("is on all files but one that come at the same time, with %d more characters", async (more) => {
    const text = createText() + ".".repeat(more);
    const files = await inParallel(() => upload(text));
    expectOneFirst(files);
    expect(await Promise.all(files.map(({ id }) => getFile(id)))).toEqual(files);
  });

  it.each([
    ["an extracted", "CLASSIFIED", true],
    ["a routed", "CLASSIFIED", false],
  ])("is on the record of %s document, its file and its extraction", async (_, status, extract) => {
    const text = createText();
    const records = [await classify({ text, extract }), await classify({ text, extract })];
    expect(records.map((each) => [each.status, each.warnings])).toEqual([
      [status, []],
      [status, [warning]],
    ]);
    for (const record of records) {
      expect((await getRecord(record.id)).warnings).toEqual(record.warnings);
      expect((await getFile(record.fileId)).warnings).toEqual(record.warnings);
      if (!extract) continue;
      const extraction = await finishedExtraction(given.rest, record.extraction.id);
      expect(extraction.warnings).toEqual(record.warnings);
    }
    const again = await classify({ fileId: records[1].fileId, extract: false });
    expect(again.warnings).toEqual([warning]);
    expectOneFirst([...(await inParallel(() => classify({ text: `${text}!`, extract })))]);
  });

  it("is on the record of a document without a route, and of one that a review moves to the project", async () => {
    const { rest, office } = given;
    const text = `Nothing of the kind ${createText().length} ${texts}`;
    const ofProject = await classifierWith(rest, office.projectId, [{ deploymentId: office.invoices }]);
    const [first, second] = [
      await getBody(rest.post(ofProject.path, { text }), 201),
      await getBody(rest.post(ofProject.path, { text }), 201),
    ];
    expect([first, second].map((each) => [each.status, each.warnings])).toEqual([
      ["UNCLASSIFIED", []],
      ["UNCLASSIFIED", [warning]],
    ]);
    expect(await getBody(rest.get(`${ofProject.path}/classifications/${second.id}`), 200)).toEqual(second);
    const loose = await classify({ text });
    expect(loose).toMatchObject({ status: "UNCLASSIFIED", projectId: null, warnings: [] });
    const review = { routeId: classifier.routes[0].id, extract: false };
    const path = `${classifier.path}/classifications/${loose.id}`;
    expect((await getBody(rest.post(`${path}:review`, review), 200)).warnings).toEqual([warning]);
    expect((await getRecord(loose.id)).warnings).toEqual([warning]);
  });

  it("is decided in the project of the route for a document of another project", async () => {
    const { other } = given;
    const text = createText();
    await upload(text, other.projectId);
    const { id: fileId, warnings } = await upload(text, other.projectId);
    expect(warnings).toEqual([warning]);
    const [first, second] = [await classify({ fileId, extract: false }), await classify({ fileId, extract: false })];
    expect([first, second].map((each) => [each.sourceFileId, each.warnings])).toEqual([
      [fileId, []],
      [fileId, [warning]],
    ]);
    expect(await getRecord(first.id)).toEqual(first);
    expect(await getRecord(second.id)).toEqual(second);
  });
}
