import { ConflictError, createClient, NotFoundError } from "@switchyard/client";
import { fileFromPath } from "@switchyard/client/node";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { sample } from "../journeys/fixture.ts";
import { root } from "../processes.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { buildBrowserBundle } from "./bundle.ts";

describe("@switchyard/client, against a running system", () => {
  const given = givenOffice();
  const client = () => createClient({ baseUrl: given.system.url, token: given.system.token });

  it("returns typed responses and throws typed errors", async () => {
    const { projectId, classifier, receipts } = given.office;
    const [listed] = await client().listClassifiers({ projectId });
    expect(listed?.deploymentRoutes[0]?.targetDeployment).toMatchObject({ status: "ACTIVE" });
    const duplicate = client().addRoute({ classifierId: classifier, deploymentId: receipts });
    await expect(duplicate).rejects.toBeInstanceOf(ConflictError);
    await expect(duplicate).rejects.toMatchObject({ code: "ROUTE_EXISTS", requestId: expect.stringMatching(/./) });
    await expect(client().getFile({ fileId: "fil_nothing" })).rejects.toBeInstanceOf(NotFoundError);
    expect(
      await client().deleteProject({ projectId: (await client().createProject({ name: "Short" })).id }),
    ).toBeUndefined();
  });

  it("uploads from a path, a stream and bytes, and downloads the same bytes", async () => {
    const { projectId } = given.office;
    const path = join(root, "samples", "receipt-coffee.pdf");
    const bytes = await sample("receipt-coffee.pdf");
    const files = [
      await fileFromPath(path),
      { filename: "stream.pdf", data: createReadStream(path) },
      { filename: "bytes é.pdf", contentType: "application/pdf", data: bytes },
    ];
    for (const file of files) {
      const stored = await client().uploadFile({ projectId, file });
      expect(stored).toMatchObject({
        filename: (file as { filename: string }).filename,
        size: bytes.length,
        status: "READ",
      });
      const content = await client().getFileContent({ fileId: stored.id });
      expect(content.filename).toBe(stored.filename);
      expect(Buffer.from(content.bytes).equals(bytes)).toBe(true);
    }
    const names: string[] = [];
    for await (const { filename } of client().all("listFiles", { projectId, limit: 1 })) names.push(filename);
    expect(names).toEqual(["bytes é.pdf", "stream.pdf", "receipt-coffee.pdf"]);
  });

  it("iterates over the pages of a response that is an array", async () => {
    const { projectId } = given.office;
    for (const name of ["one", "two", "three"]) await client().createClassifier({ projectId, name });
    const names: string[] = [];
    for await (const { name } of client().all("listClassifiers", { projectId, limit: 1 })) names.push(name);
    expect(names).toEqual(["three", "two", "one", "Accounts payable inbox"]);
  });

  it("uses only APIs that browsers provide", async () => {
    const source = await buildBrowserBundle();
    expect(source).not.toMatch(/node:|require\(/);
    const web = { fetch, Headers, FormData, Blob, File, AbortController, TextDecoder, URL, URLSearchParams, crypto };
    const page = createContext({ ...web, setTimeout, clearTimeout, given: { ...given.system, ...given.office } });
    new Script(source).runInContext(page);
    const inPage = new Script(`(async () => {
      const client = switchyard.createClient({ baseUrl: given.url, token: given.token });
      const file = new File(["Invoice number INV-1, invoice date 2026-10-01, total due 10.00"], "letter.txt");
      const { routeName } = await client.classify({ classifierId: given.classifier, file, extract: false });
      const refused = await client.getFile({ fileId: "fil_nothing" }).catch((error) => error);
      return JSON.stringify([routeName, refused instanceof switchyard.NotFoundError, typeof process]);
    })()`);
    expect(JSON.parse(await inPage.runInContext(page))).toEqual(["Invoice", true, "undefined"]);
  });
});
