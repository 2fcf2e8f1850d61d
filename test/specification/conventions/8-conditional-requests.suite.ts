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
