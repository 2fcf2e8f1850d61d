import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { startDemoServer } from "../faults/demo-server.ts";
import { runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import type { Rest } from "../rest.ts";
import { sample } from "./fixture.ts";

/** More documents than an import writes in one batch, so that a kill interrupts it. */
const bulk = { database: "switchyard_extraction", name: "bulk_of_a_test", count: 4_000 };

/** Migrates the data of the demo from the embedded store to a MongoDB, with the commands of docs/storage.md. */
describe(`migration from the embedded store to another: ${testDatabaseName}`, () => {
  let folder: string;
  let target: TestDatabase;
  let inTarget: Connection;
  let token: string;
  /** The path of the demo's classifier. */
  let classifier: string;
  let responses: Map<string, string>;
  let moved: number;

  const archive = () => join(folder, "archive");
  /** Runs `switchyard-server` on the data folder, with the embedded store by default. */
  const program = (args: readonly string[], variables: Record<string, string> = {}): RunningProgram =>
    runProgram("apps/standalone/bin/switchyard-server.js", args, {
      ...{ SWITCHYARD_DATA: join(folder, "data"), HOST: "127.0.0.1", PORT: "0", GRPC_PORT: "0" },
      // Recognizing the pictures of the demo takes seconds. Texts contain the name of the reader, which depends on it.
      ...{ MONGODB_URI: "", MONGOD_BINARY: "", SWITCHYARD_OCR: "off", ...variables },
    });
  const run = async (args: readonly string[], variables?: Record<string, string>) => {
    const running = program(args, variables);
    const code = await running.ended();
    return { code, output: running.output() };
  };
  const importing = ["store", "import"];
  const intoTarget = () => ({ MONGODB_URI: target.uri });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-migration-"));
    target = await startTestDatabase({ ownThread: true });
    inTarget = await mongoose.createConnection(target.uri).asPromise();
    const server = await startDemoServer(join(folder, "data"), { MONGODB_URI: "", MONGOD_BINARY: "" });
    try {
      token = server.token;
      classifier = `/api/v1/classify/${server.classifier}`;
      const rest = createRest(server.url, token);
      const large = new TextEncoder().encode("Invoice HL-1\n".repeat(100_000));
      expect(await rest.upload(classifier, "large.txt", large)).toMatchObject({ status: 201 });
      responses = await readResponses(rest, classifier);
      const kinds = ["projects/", "configuration/versions", "content", "extractions/", "metrics", "classifications/"];
      for (const kind of kinds) expect([...responses.keys()].join("\n")).toContain(kind);
      // The running server has locked the folder.
      expect(await run(["store", "export", archive()])).toMatchObject({
        code: 1,
        output: expect.stringContaining("in use"),
      });
    } finally {
      await server.program.end();
    }
    const store = await startEmbeddedMongo({ folder: join(folder, "data", "store") });
    const connection = await mongoose.createConnection(store.uri, { dbName: bulk.database }).asPromise();
    const documents = Array.from({ length: bulk.count }, (_, _id) => ({ _id, text: "x".repeat(500) }));
    await connection.collection<{ _id: number }>(bulk.name).insertMany(documents);
    await connection.close();
    await store.close();
  });
  afterAll(async () => {
    await inTarget?.close();
    await target?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const getCount = async ({ database, name }: { database: string; name: string }): Promise<number> =>
    inTarget.getClient().db(database).collection(name).countDocuments();

  it("exports the store of the data folder", async () => {
    const { code, output } = await run(["store", "export", archive()]);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain(`${bulk.database}.${bulk.name}: ${bulk.count} documents`);
    moved = Number(/^Exported (\d+) documents of \d+ collections of the embedded store/m.exec(output)?.[1]);
    expect(moved).toBeGreaterThan(bulk.count + 50);
  });

  it("resumes an import that was killed halfway", async () => {
    let early = bulk.count;
    // On a busy machine the kill may be too late, and is repeated.
    for (let tries = 0; tries < 10 && early === bulk.count; tries += 1) {
      await inTarget.getClient().db(bulk.database).collection(bulk.name).deleteMany({});
      const killed = program([...importing, archive()], intoTarget());
      for (const deadline = Date.now() + 60_000; (await getCount(bulk)) === 0; await sleep(5)) {
        if (Date.now() > deadline) throw new Error(`nothing is written:\n${killed.output()}`);
      }
      await killed.end("SIGKILL");
      early = await getCount(bulk);
    }
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThan(bulk.count);

    const second = await run([...importing, archive()], intoTarget());
    expect(second).toMatchObject({ code: 0, output: expect.stringContaining(`has the ${moved} documents`) });
    const [, written, already] = /bulk_of_a_test: (\d+) written, (\d+) already existed/.exec(second.output) ?? [];
    expect(Number(already)).toBeGreaterThanOrEqual(early);
    expect(Number(written) + Number(already)).toBe(bulk.count);

    // Each collection has the hash in the manifest.
    const { collections } = JSON.parse(await readFile(join(archive(), "manifest.json"), "utf8"));
    for (const { database, name, sha256 } of collections) {
      expect(second.output).toMatch(new RegExp(`^${database}\\.${name}: .*, SHA-256 ${sha256}$`, "m"));
    }
  });

  it("replaces documents that differ in the target, directly from the store, if it is told to", async () => {
    const classifiers = inTarget
      .getClient()
      .db("switchyard_classifier")
      .collection<{ _id: string; name: string }>("classifiers");
    const before = await classifiers.findOne();
    await classifiers.updateOne({ _id: before?._id ?? "" }, { $set: { name: "Changed since" } });
    const replaced = await run([...importing, "--replace"], intoTarget());
    expect(replaced).toMatchObject({ code: 0, output: expect.stringContaining(`has the ${moved} documents`) });
    expect(await classifiers.findOne({ _id: before?._id ?? "" })).toEqual(before);
  });

  it("serves the same responses from MongoDB, and classifies new documents", async () => {
    await inTarget.getClient().db(bulk.database).collection(bulk.name).drop();
    const server = program(["start"], intoTarget());
    try {
      const output = await server.printed(/serves REST .* with the MongoDB at MONGODB_URI/);
      const rest = createRest(/http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "", token);
      expect(Object.fromEntries(await readResponses(rest, classifier))).toEqual(Object.fromEntries(responses));
      const invoice = await sample("invoice-harbour-lane.pdf");
      expect(await rest.upload(classifier, "invoice.pdf", invoice)).toMatchObject({
        status: 201,
        body: { status: "CLASSIFIED" },
      });
    } finally {
      await server.end();
    }
  });

  it("imports the documents back into an embedded store", async () => {
    const data = join(folder, "back");
    await cp(join(folder, "data", "secret"), join(data, "secret"));
    const back = await run([...importing, "--to-embedded"], { ...intoTarget(), SWITCHYARD_DATA: data });
    expect(back).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^The embedded store now has the \d+ documents/m),
    });
    const server = program(["start"], { SWITCHYARD_DATA: data });
    try {
      const output = await server.printed(/serves REST .* with the embedded store/);
      const rest = createRest(/http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "", token);
      expect((await rest.get(classifier)).body.classificationCount).toBe(10);
    } finally {
      await server.end();
    }
  });
});

/** Returns the responses about everything that the token has access to, by path. */
async function readResponses(rest: Rest, classifier: string): Promise<Map<string, string>> {
  const responses = new Map<string, string>();
  const get = async (path: string): Promise<any> => {
    const { status, body, text } = await rest.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    // The last use of a token is the only value that every request changes.
    responses.set(path, text.replace(/"lastUsedAt":"[^"]*"/g, '"lastUsedAt"'));
    return body;
  };
  /** Returns the entries of a list, which is an array or a field of an object. */
  const list = async (path: string): Promise<any[]> => {
    const body = await get(path);
    const entries = Array.isArray(body) ? body : Object.values(body).find(Array.isArray);
    if (entries === undefined) throw new Error(`${path} is no list`);
    return entries;
  };
  for (const path of ["me", "tokens", "teams", "users"]) await get(`/api/v1/${path}`);
  for (const { id } of await list("/api/v1/projects")) {
    for (const model of await list(`/api/v1/projects/${id}/deployments`)) {
      await get(`/api/v1/deployments/${model.id}/configuration`);
      await get(`/api/v1/deployments/${model.id}/configuration/versions`);
      await get(`/api/v1/deployments/${model.id}/routes`);
    }
    for (const file of await list(`/api/v1/projects/${id}/files`)) {
      await get(`/api/v1/files/${file.id}/content`);
      await get(`/api/v1/files/${file.id}/text`);
    }
    for (const extraction of await list(`/api/v1/projects/${id}/extractions`)) {
      await get(`/api/v1/extractions/${extraction.id}`);
    }
    for (const execution of await list(`/api/v1/projects/${id}/benchmarks`)) {
      await get(`/api/v1/benchmarks/${execution.id}/metrics`);
      await get(`/api/v1/benchmarks/${execution.id}/files`);
    }
  }
  await get(classifier);
  for (const { id } of await list(`${classifier}/classifications`)) await get(`${classifier}/classifications/${id}`);
  return responses;
}
