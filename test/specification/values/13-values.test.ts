import { ValueStatus } from "@switchyard/contracts/switchyard/extraction/v1/values";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";
import { accept, addFile, createValuesModel, overGrpc } from "./testing.ts";

describe("13 the values of a model across documents", () => {
  const given = givenOffice();
  let modelId: string;
  let count = 0;
  const list = async (query = "", id = modelId) =>
    getBody(given.rest.get(`/api/v1/deployments/${id}/values?${query}`), 200);
  const names = async (query = ""): Promise<string[]> => (await list(query)).data.map(({ filename }: any) => filename);
  const extract = async (fileId: string, deploymentId = modelId) => {
    const path = `/api/v1/deployments/${deploymentId}/extractions`;
    const started = await given.rest.post(path, { fileId });
    return finishedExtraction(given.rest, started.body.id);
  };

  beforeEach(async () => {
    count += 1;
    modelId = await createValuesModel(given, `Values ${count}`);
  });

  it("are the rows of the primary table by default, newest file first, with exactly these fields", async () => {
    const first = await addFile(given, "first.txt");
    const second = await addFile(given, "second.txt");
    await accept(given, second, modelId, { supplier: "Beta", total: 2, paid: true });
    await accept(given, first, modelId, { supplier: "Alpha", total: 1, note: null });
    const { createdAt } = await getBody(given.rest.get(`/api/v1/files/${first}`), 200);
    const page = await list();
    expect(page).toEqual({
      data: [
        expect.objectContaining({ fileId: second, values: { supplier: "Beta", total: 2, paid: true } }),
        {
          fileId: first,
          filename: "first.txt",
          extractionId: null,
          row: 0,
          values: { supplier: "Alpha", total: 1, note: null },
          confidence: null,
          accepted: true,
          createdAt,
        },
      ],
      nextPageToken: null,
    });
    const { client, options } = overGrpc(given);
    const { rows } = await client.listValues({ targetId: modelId }, options);
    expect(rows.map(({ filename, accepted }) => [filename, accepted])).toEqual([
      ["second.txt", true],
      ["first.txt", true],
    ]);
    expect(rows[0]?.extractionId).toBeUndefined();
    expect(rows[0]?.confidence).toBeUndefined();
  });

  it("are the accepted values of a file, else those of its last completed extraction", async () => {
    const file = await addFile(given, "a.txt", "Supplier: Acme Ltd\nTotal: 12.50");
    await extract(file);
    const last = await extract(file);
    const [extracted] = (await list()).data;
    expect(extracted).toMatchObject({ extractionId: last.id, accepted: false });
    expect(extracted.values).toEqual(last.tables[0].rows[0].values);
    expect(extracted.confidence).toEqual(last.tables[0].rows[0].confidence);
    await accept(given, file, modelId, { supplier: "Somebody else", total: extracted.values.total });
    const [row] = (await list()).data;
    expect(row).toMatchObject({ extractionId: last.id, accepted: true, values: { supplier: "Somebody else" } });
    expect(row.confidence).not.toHaveProperty("supplier");
    await given.rest.send(`/api/v1/files/${file}/accepted-values?deploymentId=${modelId}`, { method: "DELETE" });
    expect((await list()).data).toEqual([extracted]);
    await given.rest.send(`/api/v1/files/${file}`, { method: "DELETE" });
    expect((await list()).data).toEqual([]);
  });

  it("have one status a file: ACCEPTED, NEEDS_REVIEW or UNREVIEWED", async () => {
    const { rest, office } = given;
    const accepted = await addFile(given, "accepted.txt");
    await accept(given, accepted, modelId, { supplier: "Acme" });
    // The supplier is required, and this document has none.
    await extract(await addFile(given, "incomplete.txt", "?"));
    const plain = await getBody(
      rest.post(`/api/v1/projects/${office.projectId}/deployments`, {
        name: `Plain ${count}`,
        tables: [{ slug: "document", isPrimary: true }],
        columns: [{ slug: "note", name: "Note" }],
      }),
      201,
    );
    await extract(await addFile(given, "plain.txt", "?"), plain.id);
    expect(await names("status=ACCEPTED")).toEqual(["accepted.txt"]);
    expect(await names("status=NEEDS_REVIEW")).toEqual(["incomplete.txt"]);
    expect(await names("status=UNREVIEWED")).toEqual([]);
    expect((await list("status=UNREVIEWED", plain.id)).data).toHaveLength(1);
    expect(await refusal(rest.get(`/api/v1/deployments/${modelId}/values?status=OTHER`))).toBe(
      "400 INVALID_REQUEST status",
    );
    const { client, options } = overGrpc(given);
    const { rows } = await client.listValues({ targetId: modelId, status: ValueStatus.NEEDS_REVIEW }, options);
    expect(rows.map(({ filename }) => filename)).toEqual(["incomplete.txt"]);
  });

  it("leave the review list with their model, for which nothing can be accepted any more", async () => {
    const { rest, office } = given;
    const kept = await createValuesModel(given, "Kept");
    const fileIds: string[] = [];
    for (let at = 0; at < 6; at += 1) fileIds.push(await addFile(given, `${at}.txt`));
    for (const [at, fileId] of fileIds.entries()) await extract(fileId, at % 3 === 0 ? kept : modelId);
    const listed = async (query: string) => {
      const path = `/api/v1/projects/${office.projectId}/review?kind=EXTRACTION&${query}`;
      const { data, nextPageToken } = await getBody(rest.get(path), 200);
      const ids = data.map(({ fileId }: any) => fileId).filter((id: string) => fileIds.includes(id));
      return { ids, nextPageToken };
    };
    expect((await listed("limit=500")).ids.toSorted()).toEqual(fileIds.toSorted());
    await getBody(rest.send(`/api/v1/deployments/${modelId}`, { method: "DELETE" }), 204);
    const first = await listed("limit=1");
    const others = await listed(`limit=500&pageToken=${first.nextPageToken}`);
    expect([...first.ids, ...others.ids]).toEqual([fileIds[3], fileIds[0]]);
  });

  it("are searched in file names and text values, case-folded", async () => {
    const one = await addFile(given, "Straße.txt");
    await accept(given, one, modelId, { supplier: "ACME Société", total: 4711 });
    const other = await addFile(given, "other.txt");
    await accept(given, other, modelId, { supplier: "Beta" }, [{ part: "Left wheel" }, { part: "Saddle" }]);
    expect(await names("search=strasse")).toEqual(["Straße.txt"]);
    expect(await names("search=societe")).toEqual(["Straße.txt"]);
    expect(await names("search=4711")).toEqual([]);
    expect(await names("search=t")).toEqual(["other.txt", "Straße.txt"]);
    const parts = (await list("table=parts&search=WHEEL")).data;
    expect(parts.map(({ values, row }: any) => [values.part, row])).toEqual([["Left wheel", 0]]);
    expect((await list("table=parts&search=OTHER")).data).toHaveLength(2);
  });

  it("are those of files from a time on, and before another", async () => {
    const ids = [await addFile(given, "a.txt"), await addFile(given, "b.txt"), await addFile(given, "c.txt")];
    for (const id of ids) await accept(given, id, modelId, { supplier: "x" });
    const times: string[] = (await list()).data.map(({ createdAt }: any) => createdAt);
    const [last = "", middle = ""] = times;
    expect(await names(`from=${middle}`)).toEqual(["c.txt", "b.txt"]);
    expect(await names(`to=${middle}`)).toEqual(["a.txt"]);
    expect(await names(`from=${middle}&to=${last}`)).toEqual(["b.txt"]);
    expect(await refusal(given.rest.get(`/api/v1/deployments/${modelId}/values?from=${last}&to=${middle}`))).toBe(
      "400 INVALID_REQUEST to",
    );
  });

  it("are in pages by file and row, which repeat and lose nothing while files are added", async () => {
    for (const name of ["a", "b", "c"]) {
      const parts = [1, 2, 3].map((number) => ({ part: `${name}${number}` }));
      await accept(given, await addFile(given, `${name}.txt`), modelId, { supplier: name }, parts);
    }
    const seen: string[] = [];
    let token: string | null = "";
    for (let page = 0; token !== null; page += 1) {
      const next: any = await list(`table=parts&limit=2&pageToken=${token}`);
      expect(next.data.length).toBeLessThanOrEqual(2);
      seen.push(...next.data.map(({ values }: any) => values.part));
      token = next.nextPageToken;
      await accept(given, await addFile(given, `new-${page}.txt`), modelId, { supplier: "new" }, [{ part: "new" }]);
    }
    expect(seen).toEqual(["c1", "c2", "c3", "b1", "b2", "b3", "a1", "a2", "a3"]);
    const page = await list("limit=1");
    expect(
      await refusal(
        given.rest.get(`/api/v1/deployments/${modelId}/values?status=ACCEPTED&pageToken=${page.nextPageToken}`),
      ),
    ).toBe("400 INVALID_REQUEST pageToken");
  });

  it("are read by the ID of a model, a deployment or an extraction schema, which determines the tables", async () => {
    const { invoices, deployment, firstSchema, secondSchema, receipts } = given.office;
    const file = await addFile(given, "invoice.txt", "Invoice 4711\nTotal 12.50");
    await extract(file, invoices);
    const expected = await list("", invoices);
    expect(expected.data).toHaveLength(1);
    for (const id of [deployment, firstSchema, secondSchema]) expect(await list("", id)).toEqual(expected);
    expect((await list("table=line_items", firstSchema)).data).toEqual([]);
    const path = (id: string, query: string) => given.rest.get(`/api/v1/deployments/${id}/values?${query}`);
    expect(await refusal(path(receipts, "table=line_items"))).toBe("400 INVALID_REQUEST table");
    expect(await refusal(path("mdl_none", ""))).toBe("404 DEPLOYMENT_NOT_FOUND deploymentId");
    expect(await refusal(path(invoices, `search=${"x".repeat(201)}`))).toBe("400 INVALID_REQUEST search");
    const bare = await getBody(
      given.rest.post(`/api/v1/projects/${given.office.projectId}/deployments`, { name: `Bare ${count}` }),
      201,
    );
    expect(await list("", bare.id)).toEqual({ data: [], nextPageToken: null });
    expect(await refusal(path(bare.id, "table=invoice"))).toBe("400 INVALID_REQUEST table");
  });

  it("need documents:read, and the project in reach", async () => {
    const { rest, office } = given;
    const { user } = await getBody(rest.get("/api/v1/me"), 200);
    const { id: projectId } = await getBody(rest.post("/api/v1/projects", { name: "Elsewhere" }), 201);
    const secret = async (permissions: string[], scope: object): Promise<string> =>
      (await getBody(rest.post("/api/v1/tokens", { name: "Reader", userId: user.id, permissions, ...scope }), 201))
        .secret;
    const inside = { scope: "PROJECT", projectId: office.projectId };
    for (const path of ["values", "values:export"]) {
      const read = async (permissions: string[], scope: object) =>
        createRest(given.system.url, await secret(permissions, scope)).get(`/api/v1/deployments/${modelId}/${path}`);
      expect((await read(["documents:read"], inside)).status).toBe(200);
      expect((await read(["documents:write"], inside)).status).toBe(403);
      expect((await read(["documents:read"], { scope: "PROJECT", projectId })).status).toBe(403);
    }
  });
});
