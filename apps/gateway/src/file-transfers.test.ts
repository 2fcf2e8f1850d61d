import { createRestCalls } from "./testing/rest-calls.ts";
import { startTestGateway, type TestGateway, type Way } from "./testing/test-gateway.ts";

describe.each<Way>(["direct", "channel"])("with services reached %s", (way) => {
  let system: TestGateway;
  beforeAll(async () => {
    system = await startTestGateway({}, way);
  });
  afterAll(() => system.stop());

  const { call, json, lastContent } = createRestCalls(() => system);

  describe("downloads", () => {
    it("sends the file as an attachment whose type browsers must not guess", async () => {
      const response = await fetch(`${system.gateway.url}/api/v1/files/fil_1/content`, {
        headers: { authorization: `Bearer ${system.token}` },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/pdf");
      expect(response.headers.get("content-disposition")).toBe(
        `attachment; filename="Gr__e _1_.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.pdf`,
      );
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("x-internal")).toBeNull();
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBe(5 + 40 * 65_536);
      expect(bytes.subarray(0, 5).toString()).toBe("%PDF-");
    });

    it("responds with a problem if nothing was sent, and otherwise aborts the response", async () => {
      expect((await call("GET", "/api/v1/files/none/content")).json).toMatchObject({
        status: 404,
        code: "FILE_NOT_FOUND",
      });
      await expect(call("GET", "/api/v1/files/broken/content")).rejects.toThrow();
    });
  });

  describe("uploads", () => {
    const files = "/api/v1/projects/prj_1/files";
    const form = (...parts: [name: string, value: string | Blob, filename?: string][]): FormData => {
      const data = new FormData();
      for (const [name, value, filename] of parts)
        if (typeof value === "string") data.append(name, value);
        else data.append(name, value, filename);
      return data;
    };
    const file = (content: string | Buffer, type = "application/pdf") => new Blob([content], { type });

    it("streams the file of a form", async () => {
      const content = Buffer.alloc(300_000, "abc");
      const response = await call("POST", files, { body: form(["file", file(content), "Größe.pdf"]) });
      expect(response.json).toMatchObject({ filename: "Größe.pdf", contentType: "application/pdf", size: 300_000 });
      expect(response.status).toBe(201);
      expect(response.headers.get("location")).toMatch(/^\/api\/v1\/files\/fil_\d+$/);
      const stored = system.stored.at(-1);
      expect(stored?.projectId).toBe("prj_1");
      expect(stored?.data.equals(content)).toBe(true);
    });

    it("takes a file name as it was before the client escaped it, and nothing else for an escape", async () => {
      for (const name of ['say "hi" now.pdf', "100%25 of 5%.pdf", "line\r\nbreak.pdf"])
        expect((await call("POST", files, { body: form(["file", file("x"), name]) })).json.filename).toBe(name);
    });

    it("streams a raw body with the name in ?filename=", async () => {
      const headers = { "content-type": "text/csv" };
      const response = await call("POST", `${files}?filename=a%20b.csv`, { body: "x,y", headers });
      expect(response.json).toMatchObject({ filename: "a b.csv", contentType: "text/csv", size: 3 });
      expect((await call("POST", files, { body: "x", headers })).json).toMatchObject({
        status: 400,
        errors: [{ field: "filename" }],
      });
      expect((await call("POST", `${files}?filename=a&x=1`, { body: "x", headers })).json).toMatchObject({
        errors: [{ field: "x" }],
      });
    });

    it.each([
      ["no file", form(["other", "x"]), 400, ["file"]],
      ["an unknown part", form(["other", "x"], ["file", file("x"), "a.pdf"]), 400, ["other"]],
      ["an unknown part after the file", form(["file", file("x"), "a.pdf"], ["other", "x"]), 400, ["other"]],
      ["an unknown file", form(["file", file("x"), "a.pdf"], ["second", file("y"), "b.pdf"]), 400, ["second"]],
      ["two files", form(["file", file("x"), "a.pdf"], ["file", file("y"), "b.pdf"]), 400, ["file"]],
      ["no filename", form(["file", "x"]), 400, ["file"]],
      ["an empty file", form(["file", file(""), "a.pdf"]), 400, ["file"]],
      ["a path variable as a part", form(["projectId", "prj_2"], ["file", file("x"), "a.pdf"]), 400, ["projectId"]],
      ["a file that is too large", form(["file", file(Buffer.alloc(26_214_401)), "a.pdf"]), 413, ["file"]],
    ])("rejects a form with %s, and stores nothing", async (_title, body, status, fields) => {
      const before = system.stored.length;
      const { json: problem } = await call("POST", files, { body });
      expect(problem).toMatchObject({ status, errors: fields.map((field) => ({ field })) });
      expect(system.stored.length).toBe(before);
    });

    it("accepts a file of the maximum size", async () => {
      const response = await call("POST", files, { body: form(["file", file(Buffer.alloc(26_214_400)), "a.pdf"]) });
      expect(response.json).toMatchObject({ size: 26_214_400 });
    });

    it("accepts JSON as a file", async () => {
      expect((await call("POST", files, json({ filename: "a" }))).status).toBe(400);
      expect((await call("POST", `${files}?filename=a.json`, json({ total: 1 }))).status).toBe(201);
    });

    it("names a parameter without a name as an empty text", async () => {
      const headers = { "content-type": "text/plain" };
      const errors = [{ field: '""', message: "is not a parameter of this request" }];
      expect((await call("POST", `${files}?filename=a&=b`, { body: "x", headers })).json).toMatchObject({ errors });
    });

    it("names a part without a name as an empty text", async () => {
      const body = '--x\r\nContent-Disposition: form-data; filename="a.txt"\r\n\r\na\r\n--x--\r\n';
      const response = await call("POST", files, {
        body,
        headers: { "content-type": "multipart/form-data; boundary=x" },
      });
      const errors = [{ field: '""', message: "is not a part of this request" }];
      expect(response.json).toMatchObject({ status: 400, code: "INVALID_REQUEST", errors });
    });

    it("rejects other multipart types, an empty raw body, and a malformed form", async () => {
      const mixed = { "content-type": "multipart/mixed; boundary=x" };
      expect((await call("POST", `${files}?filename=a`, { body: "x", headers: mixed })).status).toBe(415);
      const raw = { "content-type": "text/plain" };
      expect((await call("POST", `${files}?filename=a`, { body: "", headers: raw })).json).toMatchObject({
        code: "EMPTY_FILE",
      });
      for (const type of ["multipart/form-data", "multipart/form-data; boundary=x"])
        expect(
          (await call("POST", files, { body: "--x\r\nnot a form", headers: { "content-type": type } })).status,
        ).toBe(400);
    });

    it("responds with the error of the service", async () => {
      const body = form(["file", file(Buffer.alloc(5_000_000)), "a.pdf"]);
      const response = await call("POST", "/api/v1/projects/prj_unknown/files", { body });
      expect(response.json).toMatchObject({ status: 404, code: "PROJECT_NOT_FOUND" });
    });

    it("fills the request of a method with a file, and its other fields by their REST names", async () => {
      const body = form(
        ["extract", "false"],
        ["externalId", "e-1"],
        ["file", file("hello", "text/plain"), "a.txt"],
        ["explain", "true"],
      );
      const response = await call("POST", "/api/v1/classify/clf_1/classifications", { body });
      expect(response.status).toBe(201);
      expect(system.classified.at(-1)).toMatchObject({
        classifierId: "clf_1",
        extract: false,
        explain: true,
        externalId: "e-1",
        document: { case: "content", value: { filename: "a.txt", contentType: "text/plain" } },
      });
      expect(Buffer.from(lastContent()?.data ?? []).toString()).toBe("hello");
      const wrong = form(["extract", "yes"], ["file", file("x"), "a.txt"]);
      expect((await call("POST", "/api/v1/classify/clf_1", { body: wrong })).json).toMatchObject({
        errors: [{ field: "extract" }],
      });
    });

    it("accepts a document as base64 in JSON, even on the shorter path", async () => {
      const content = {
        filename: "a.txt",
        contentType: "text/plain",
        data: Buffer.alloc(2_000_000, 65).toString("base64"),
      };
      expect((await call("POST", "/api/v1/classify/clf_1", json({ content }))).status).toBe(201);
      expect(lastContent()?.data.length).toBe(2_000_000);
      expect((await call("POST", "/api/v1/classify/clf_1", json({ content: { data: "%%" } }))).json).toMatchObject({
        errors: [{ field: "content.data" }],
      });
    });
  });
});
