import { zipSync } from "fflate";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fetchModels } from "./models.ts";
import type { ModelPackage } from "./models.ts";

const bytes = zipSync({ "project/a.onnx": new Uint8Array([1, 2, 3]), "project/other": new Uint8Array(10) });
const wanted: ModelPackage = {
  project: "project",
  filename: "project-1.0-py3-none-any.whl",
  sha256: createHash("sha256").update(bytes).digest("hex"),
  maxBytes: 1_000,
  files: { "project/a.onnx": "detection.onnx" },
};
const page = `<a href="../files/project-0.9-py3-none-any.whl">0.9</a> <a class="x"
  href="../../files/${wanted.filename}#sha256=${wanted.sha256}" data-x="&gt;=3">1.0</a>`;

describe("fetchModels", () => {
  let folder: string;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-models-"));
    await writeFile(join(folder, wanted.filename), bytes);
    const responses: Record<string, string | Uint8Array> = {
      "/simple/project/": page,
      [`/files/${wanted.filename}`]: bytes,
      "/empty/project/": "<html></html>",
      "/large.whl": new Uint8Array(1_001),
    };
    server = createServer(({ url: path = "" }, response) => {
      response.writeHead(responses[path] === undefined ? 404 : 200).end(responses[path]);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(from: string, name?: string): Promise<string> {
    let printed = "";
    const target = name === undefined ? undefined : join(folder, name);
    await fetchModels({ folder: target, from }, { dataFolder: folder, write: (text) => (printed += text) }, wanted);
    return printed;
  }

  it.each([
    ["a file", () => join(folder, wanted.filename)],
    ["an address", () => `${url}/files/${wanted.filename}`],
    ["a package index", () => `${url}/simple`],
  ])("unpacks models from %s", async (name, from) => {
    expect(await run(from(), name)).toContain(`SWITCHYARD_OCR_MODELS=${join(folder, name)}\n`);
    expect(await readdir(join(folder, name))).toEqual(["detection.onnx"]);
    expect([...(await readFile(join(folder, name, "detection.onnx")))]).toEqual([1, 2, 3]);
  });

  it("puts them into the data folder, once", async () => {
    const from = join(folder, wanted.filename);
    expect(await run(from)).toContain(join(folder, "models"));
    await expect(run(from)).rejects.toThrow(/models exists already$/);
  });

  it.each([
    ["another package", () => `${url}/simple/project/index.whl`, /answered 404$/],
    ["an index without the project", () => `${url}/files/`, /\/files\/project\/ answered 404$/],
    ["an index without the version", () => `${url}/empty`, /has no project-1.0-py3-none-any.whl$/],
    ["too many bytes", () => `${url}/large.whl`, /has more than 1000 bytes$/],
    ["other bytes", () => import.meta.filename, /is not project-1.0-py3-none-any.whl: its SHA-256 is [0-9a-f]{64}$/],
    ["a missing file", () => join(folder, "none.whl"), /ENOENT.*none.whl/],
    ["a server that is not there", () => "http://127.0.0.1:1/", /cannot be read: .*(ECONNREFUSED|bad port)/],
  ])("says what is wrong with %s, and leaves nothing behind", async (_, from, message) => {
    const before = await readdir(folder);
    await expect(run(from(), "failed")).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual(before);
  });
});
