import { createRest } from "../../rest.ts";
import { givenOffice } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { endpoints } from "../testing/rpcs.ts";

/** Section 8 of the API: entity tags, conditional requests and ranges. */
export function conditionalRequestSuite(where: Where): void {
  const given = givenOffice(where);

  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    given.rest.send(path, { method, headers });

  it("a configuration has an entity tag until it changes", async () => {
    const path = `/api/v1/deployments/${given.office.invoices}/configuration`;
    const tag = (await get(path)).headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"/);
    expect((await get(path, { "if-none-match": tag })).status).toBe(304);
    expect((await given.rest.patch(path, { instructions: "Read the total." })).status).toBe(200);
    const changed = await get(path, { "if-none-match": tag });
    expect([changed.status, changed.body.instructions]).toEqual([200, "Read the total."]);
    expect(changed.headers.get("etag")).not.toBe(tag);
  });

  it("a classifier has an entity tag until it changes", async () => {
    const path = `/api/v1/classify/${given.office.classifier}`;
    const tag = (await get(path)).headers.get("etag") ?? "";
    expect((await get(path, { "if-none-match": tag }, "HEAD")).status).toBe(304);
    expect((await given.rest.patch(path, { description: "For the post" })).status).toBe(200);
    expect((await get(path, { "if-none-match": tag })).status).toBe(200);
  });

  it("a file has a weak tag, and its content the strong tag of its bytes", async () => {
    const bytes = Buffer.from("Invoice 4711, total 12.50\n".repeat(100_000));
    const file = (await given.rest.upload(`/api/v1/projects/${given.office.projectId}/files`, "a.txt", bytes)).body;
    const path = `/api/v1/files/${file.id}`;
    const tag = (await get(path)).headers.get("etag") ?? "";
    expect((await get(path, { "if-none-match": tag })).status).toBe(304);
    const content = `${path}/content`;
    const whole = await get(content);
    expect([whole.status, whole.text, whole.headers.get("etag")]).toEqual([200, bytes.toString(), `"${file.sha256}"`]);
    expect(whole.headers.get("content-length")).toBe(String(bytes.length));
    expect((await get(content, { "if-none-match": `"${file.sha256}"` })).status).toBe(304);
    const part = await get(content, { range: "bytes=1500000-1500009" });
    expect([part.status, part.text]).toEqual([206, bytes.toString("utf8", 1_500_000, 1_500_010)]);
    expect((await get(content, { range: `bytes=${bytes.length}-` })).status).toBe(416);
    const head = await get(content, {}, "HEAD");
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", String(bytes.length)]);
  });

  it("whoever may not read a resource gets no 304", async () => {
    const outsider = createRest(given.system.url, await given.system.anotherOrganization("Elsewhere"));
    const headers = { "if-none-match": "*" };
    for (const path of [
      `/api/v1/classify/${given.office.classifier}`,
      `/api/v1/deployments/${given.office.invoices}/configuration`,
    ])
      expect((await outsider.send(path, { method: "GET", headers })).status).toBe(404);
  });

  const ifMatch = (tag: string) => ({ "if-match": tag });
  const change = (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const json = { body: JSON.stringify(body), headers: { ...headers, "content-type": "application/json" } };
    return given.rest.send(path, { method, headers, ...(body === undefined ? {} : json) });
  };

  it("a change with an entity tag that is not current is refused, and changes nothing", async () => {
    const paths: [path: string, method: string, body?: unknown][] = [
      [`/api/v1/deployments/${given.office.invoices}/configuration`, "PATCH", { instructions: "Lost." }],
      [`/api/v1/classify/${given.office.classifier}`, "PATCH", { description: "Lost" }],
      [`/api/v1/classify/${given.office.classifier}`, "DELETE"],
      [`/api/v1/projects/${given.office.projectId}`, "PATCH", { name: "Lost" }],
    ];
    for (const [path, method, body] of paths) {
      const before = await get(path);
      const tag = before.headers.get("etag") ?? "";
      for (const stale of ['W/"stale"', `"other", W/"stale"`, "", tag.slice(3, -1)]) {
        const refused = await change(method, path, ifMatch(stale), body);
        expect([path, stale, refused.status, refused.body.code]).toEqual([path, stale, 412, "PRECONDITION_FAILED"]);
        expect(refused.headers.get("content-type")).toBe("application/problem+json");
      }
      expect((await change(method, path, { "if-none-match": "*" }, body)).status).toBe(412);
      expect((await get(path, ifMatch('"stale"'))).status).toBe(412);
      const after = await get(path, ifMatch(tag));
      expect([after.status, after.body]).toEqual([200, before.body]);
    }
  });

  it("a change with the current entity tag is made, and once only", async () => {
    const path = `/api/v1/deployments/${given.office.invoices}/configuration`;
    const tag = (await get(path)).headers.get("etag") ?? "";
    const texts = Array.from({ length: 8 }, (_, index) => `Read total ${index}.`);
    const spellings = [path, path.replace("_", "%5F"), path.replace("_", "%5f")];
    const all = await Promise.all(
      texts.map((instructions, index) =>
        change("PATCH", spellings[index % 3] ?? "", ifMatch(`"other", ${tag}`), { instructions }),
      ),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...texts.slice(1).map(() => 412)]);
    const made = all.find(({ status }) => status === 200)?.body.instructions;
    expect((await get(path)).body.instructions).toBe(made);
    expect((await change("PATCH", path, ifMatch("*"), { instructions: "Read all." })).status).toBe(200);
  });

  it("values are only accepted for the first time, or only replaced, if that is asked for", async () => {
    const upload = `/api/v1/projects/${given.office.projectId}/files`;
    const file = (await given.rest.upload(upload, "a.txt", Buffer.from("Invoice 12"))).body.id;
    const deploymentId = given.office.invoices;
    const path = `/api/v1/files/${file}/accepted-values`;
    const query = `?deploymentId=${deploymentId}`;
    const table = (await get(`/api/v1/deployments/${deploymentId}/configuration`)).body.tables[0].slug;
    const body = { deploymentId, tables: [{ slug: table, rows: [{ values: {} }] }] };
    expect((await change("PUT", path, ifMatch("*"), body)).status).toBe(412);
    expect((await get(`${path}${query}`)).status).toBe(404);
    expect((await change("PUT", path, { "if-none-match": "*" }, body)).status).toBe(200);
    expect((await change("PUT", path, { "if-none-match": "*" }, body)).status).toBe(412);
    const tag = (await get(`${path}${query}`)).headers.get("etag") ?? "";
    expect((await change("DELETE", `${path}${query}`, ifMatch('"stale"'))).status).toBe(412);
    expect((await change("PUT", path, ifMatch(tag), body)).status).toBe(200);
    expect((await change("DELETE", `${path}${query}`, ifMatch(tag))).status).toBe(204);
  });

  it("a precondition is refused where nothing has an entity tag, and gives no access", async () => {
    const { classifier, projectId } = given.office;
    for (const [method, path, body] of [
      ["POST", `/api/v1/classify/${classifier}`, { text: "Invoice" }],
      ["POST", `/api/v1/classify/${classifier}:makeGlobal`, undefined],
      ["PATCH", `/api/v1/deployments/${given.office.invoices}`, { name: "Lost" }],
      ["GET", `/api/v1/projects/${projectId}/files`, undefined],
    ] as const) {
      const refused = await change(method, path, ifMatch("*"), body);
      expect([path, refused.status, refused.body.errors?.[0]?.field]).toEqual([path, 400, "If-Match"]);
      const excluded = await change(method, path, { "if-none-match": "*" }, body);
      const [status, field] = method === "GET" ? [200, undefined] : [400, "If-None-Match"];
      expect([path, excluded.status, excluded.body.errors?.[0]?.field]).toEqual([path, status, field]);
    }
    expect((await change("PATCH", "/api/v1/classify/none", ifMatch("*"), {})).status).toBe(404);
    const outsider = createRest(given.system.url, await given.system.anotherOrganization("Elsewhere"));
    const path = `/api/v1/classify/${classifier}`;
    const foreign = await outsider.send(path, { method: "DELETE", headers: ifMatch('"stale"') });
    expect(foreign.status).toBe(404);
  });

  it("every resource has an entity tag, and no list or export does", () => {
    const names = (kind: string | undefined) =>
      endpoints
        .filter(({ httpMethod, entityTag }) => httpMethod === "GET" && entityTag === kind)
        .map(({ method }) => method.name);
    expect(names("strong")).toEqual(["GetFileContent"]);
    expect(names("weak").filter((name) => name.startsWith("List"))).toEqual([]);
    expect(names("weak")).toEqual(expect.arrayContaining(["GetConfiguration", "GetClassifier", "GetFile"]));
    expect(
      names(undefined)
        .filter((name) => !name.startsWith("List"))
        .sort(),
    ).toEqual(["ExportValues", "GetPageImage", "GetProjectSchema", "WatchExecution", "WatchProjectEvents"].sort());
  });
}
