import { getBody, refusal } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { invoiceText } from "../testing/sample-world.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";

/** Section 3 of the API: documents that are classified again, and batches. */
export function batchSuite(where: Where): void {
  const given = givenTwoProjects(where);
  let classifier: Awaited<ReturnType<typeof classifierWith>>;

  beforeAll(async () => {
    const { rest, office } = given;
    const routes = [{ deploymentId: office.invoices }, { deploymentId: office.receipts }];
    classifier = await classifierWith(rest, office.projectId, routes);
  });

  const getCount = async () => (await getBody(given.rest.get(classifier.path), 200)).classificationCount;

  describe(":reclassify", () => {
    it("makes a new record of the same file, with the external ID and the old record's ID", async () => {
      const { rest } = given;
      const first = await getBody(rest.post(classifier.path, { text: invoiceText, externalId: "mail 7" }), 201);
      const before = await getCount();
      const path = `${classifier.path}/classifications/${first.id}:reclassify`;
      const response = await rest.post(path, { extract: false, explain: true });
      expect([response.status, response.headers.get("location")]).toEqual([
        201,
        `${classifier.path}/classifications/${response.body.id}`,
      ]);
      expect(response.body).toMatchObject({
        ...{ retryOf: first.id, externalId: "mail 7", fileId: first.fileId, sourceFileId: null, filename: "text.txt" },
        ...{ status: "CLASSIFIED", routeId: first.routeId, extraction: null, review: null },
      });
      expect(response.body.scores[0].evidence.terms).not.toEqual([]);
      expect(await getCount()).toBe(before + 1);
      const again = await getBody(rest.post(path), 201);
      expect(again).toMatchObject({ retryOf: first.id, extraction: { id: expect.any(String) } });
    });

    it("is a conflict once the file is gone", async () => {
      const { rest } = given;
      const record = await getBody(rest.post(classifier.path, { text: invoiceText, extract: false }), 201);
      await getBody(rest.send(`/api/v1/files/${record.fileId}`, { method: "DELETE" }), 204);
      const path = `${classifier.path}/classifications/${record.id}`;
      expect(await refusal(rest.post(`${path}:reclassify`))).toBe("409 FILE_GONE");
      expect(await refusal(rest.post(`${path}:review`, { routeId: null }))).toBe("409 FILE_GONE");
      expect(await refusal(rest.post(`${classifier.path}/classifications/none:reclassify`))).toBe(
        "404 CLASSIFICATION_NOT_FOUND classificationId",
      );
    });

    it("needs the right to read the record and to use the classifier", async () => {
      const record = await getBody(given.rest.post(classifier.path, { text: invoiceText, extract: false }), 201);
      const path = `${classifier.path}/classifications/${record.id}:reclassify`;
      expect(await refusal(given.farReader.post(path))).toBe("403 CLASSIFICATION_OUT_OF_REACH");
      await getBody(given.boundReader.post(path, { extract: false }), 201);
    });
  });

  describe(":batchClassify", () => {
    it("gives each document a record or a problem, in order, and counts the records", async () => {
      const { rest } = given;
      const stored = await getBody(rest.post(classifier.path, { text: invoiceText, extract: false }), 201);
      const before = await getCount();
      const items = [
        { text: invoiceText, externalId: "one", extract: false },
        { fileId: "none" },
        { fileId: stored.fileId, externalId: "three" },
        { text: " " },
      ];
      const { data } = await getBody(rest.post(`${classifier.path}:batchClassify`, { items }), 200);
      expect(data).toMatchObject([
        { index: 0, problem: null, classification: { externalId: "one", status: "CLASSIFIED", extraction: null } },
        { index: 1, classification: null, problem: { code: "FILE_NOT_FOUND", errors: [{ field: "items[1].fileId" }] } },
        {
          index: 2,
          problem: null,
          classification: { externalId: "three", fileId: stored.fileId, status: "CLASSIFIED" },
        },
        { index: 3, problem: null, classification: { status: "UNCLASSIFIED", reason: { code: "EMPTY_DOCUMENT" } } },
      ]);
      expect(data[2].classification.extraction.id).toMatch(/^ext_/);
      expect(await getCount()).toBe(before + 3);
      const { id } = data[0].classification;
      expect(await getBody(rest.get(`${classifier.path}/classifications/${id}`), 200)).toEqual(data[0].classification);
    });

    it("is refused as a whole for a wrong shape, an empty batch, or more than 100 documents", async () => {
      const post = (body: object) => refusal(given.rest.post(`${classifier.path}:batchClassify`, body));
      const before = await getCount();
      expect(await post({})).toBe("400 INVALID_REQUEST items");
      expect(await post({ items: [] })).toBe("400 INVALID_REQUEST items");
      const many = Array.from({ length: 101 }, () => ({ text: "a" }));
      expect(await post({ items: many })).toBe("400 INVALID_REQUEST items");
      expect(await post({ items: [{ text: invoiceText }, { text: 1 }] })).toBe("400 INVALID_REQUEST items[1].text");
      expect(await post({ items: [{ text: invoiceText, data: "" }] })).toBe("400 INVALID_REQUEST items[0].data");
      expect(await post({ items: [{ text: "a", fileId: "b" }] })).toBe("400 INVALID_REQUEST items[0].fileId");
      expect(await getCount()).toBe(before);
    });

    it("gives a document with a missing value, or one out of bounds, its own problem", async () => {
      const before = await getCount();
      const items = [
        {},
        { text: "" },
        { text: invoiceText, externalId: "x".repeat(201) },
        { text: invoiceText, extract: false },
      ];
      const { data } = await getBody(given.rest.post(`${classifier.path}:batchClassify`, { items }), 200);
      expect(data.map(({ problem }: any) => problem && [problem.code, problem.errors[0].field])).toEqual([
        ["INVALID_REQUEST", "items[0].fileId"],
        ["EMPTY_FILE", "items[1].text"],
        ["INVALID_REQUEST", "items[2].externalId"],
        null,
      ]);
      expect(data[0].problem.errors[0].message).toBe("exactly one of fileId and text is required; none was given");
      expect(data.map(({ classification }: any) => classification?.status)).toEqual([
        ...[undefined, undefined, undefined],
        "CLASSIFIED",
      ]);
      expect(await getCount()).toBe(before + 1);
    });

    it.each([
      ["the batch of today", [{ text: invoiceText, extract: false }, { fileId: "none" }], 1],
      ["a batch without a record", [{ fileId: "none" }, { fileId: "neither" }], 0],
    ])("has one idempotency key for the whole batch: %s", async (key, items, recorded) => {
      const { rest } = given;
      const before = await getCount();
      const send = () =>
        rest.send(`${classifier.path}:batchClassify`, {
          method: "POST",
          body: JSON.stringify({ items }),
          headers: { "content-type": "application/json", "idempotency-key": key },
        });
      const [first, second] = [await send(), await send()];
      expect([first.status, second.status, second.headers.get("idempotency-replayed")]).toEqual([200, 200, "true"]);
      expect(second.body).toEqual(first.body);
      expect(await getCount()).toBe(before + recorded);
    });

    it("classifies 100 documents", async () => {
      const items = Array.from({ length: 100 }, (_, index) => ({ text: `${invoiceText} ${index}`, extract: false }));
      const { data } = await getBody(given.rest.post(`${classifier.path}:batchClassify`, { items }), 200);
      expect(data.map(({ index }: any) => index)).toEqual(items.map((_, index) => index));
      expect(data.filter(({ classification }: any) => classification?.status !== "CLASSIFIED")).toEqual([]);
    });
  });
}
