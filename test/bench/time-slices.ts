import {
  connectForTransfer,
  createServerSource,
  importInto,
  openArchive,
  writeArchive,
} from "@switchyard/standalone/archive";
import { newId } from "@switchyard/storage";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { createSampleWorld, invoiceText } from "../specification/testing/sample-world.ts";
import type { SampleWorld } from "../specification/testing/sample-world.ts";
import { createSkewedWorld } from "../specification/testing/skewed-lists.ts";
import { startTestSystem } from "../system.ts";
import { startWatchedStore } from "./testing/watched-store.ts";
import type { WatchedStore } from "./testing/watched-store.ts";

/** The number of documents in each collection behind a list. */
const count = Number(process.env["SWITCHYARD_BENCH_RECORDS"] ?? 20_000);
/** The maximum processor time of a time slice. */
const maxBusyMs = 50;
/** Each file is imported in its own transaction, so their number does not matter. Models are deleted in large transactions. */
const [importedFiles, models] = [500, 1_000];
const routes = 200;
const collections = {
  classifications: "classifier",
  extractions: "extraction",
  files: "extraction",
  audit: "configuration",
};

type PendingResponse = Promise<{ status: number; text: string; body: any }>;

async function expectStatus(response: PendingResponse, status: number): Promise<any> {
  const { status: given, text, body } = await response;
  if (given !== status) throw new Error(`${given} instead of ${status}: ${text.slice(0, 500)}`);
  return body;
}

/** Copies a stored document, and returns the IDs of the copies. */
async function copy(
  collection: mongoose.mongo.Collection<any>,
  query: object,
  prefix: string,
  copies: number,
  change: (n: number) => object,
) {
  const { _id, ...original } = (await collection.findOne(query)) ?? {};
  if (_id === undefined) throw new Error(`${collection.collectionName} has nothing to be copied`);
  const documents = Array.from({ length: copies }, (_, n) => ({ ...original, _id: newId(prefix), ...change(n) }));
  for (let from = 0; from < copies; from += 100) await collection.insertMany(documents.slice(from, from + 100));
  return documents.map((each): string => each._id);
}

/**
 * Measures the longest time slice of the embedded store, with its file on disk, during the largest tasks of the services: one time slice
 * delays all other commands. Prints the elapsed time, which includes waiting for the processor and the disk, and the processor time, which
 * has a bound.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const store = await startWatchedStore(join(folder, "store"));
  const system = await startTestSystem("replicas", { database: store });
  const client = await new mongoose.mongo.MongoClient(system.uri).connect();
  const of = (database: string, name: string) => client.db(`switchyard_${database}`).collection<any>(name);
  let isGood = true;
  async function row(name: string, work: () => Promise<unknown>, watched: WatchedStore = store): Promise<void> {
    await watched.getLongestTimeSlice();
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1_000;
    const { wallMs, busyMs } = await watched.getLongestTimeSlice();
    isGood &&= busyMs <= maxBusyMs;
    const fault = busyMs > maxBusyMs ? `; more than ${maxBusyMs}` : "";
    const times = `${wallMs.toFixed(1).padStart(7)} ${busyMs.toFixed(1).padStart(7)}`;
    console.log(`  ${name.padEnd(64)} ${times}  in ${seconds.toFixed(1)} s${fault}`);
  }
  try {
    console.log(`  ${"longest time slice in ms".padEnd(64)}   clock    busy`);
    const world: SampleWorld = await createSampleWorld(system.url, system.token);
    const { rest, projectId } = world;
    const files = `/api/v1/projects/${projectId}/files`;
    const text = Buffer.alloc(20_000_000, "Invoice 4711, total amount 12.50\n");
    await row("an upload of 20 MB", () => expectStatus(rest.upload(files, "large.txt", text), 201));
    await row("4 uploads of 20 MB at once", () =>
      Promise.all(
        [1, 2, 3, 4].map((n) => {
          text.write(`${n}`);
          return expectStatus(rest.upload(files, `large-${n}.txt`, Buffer.from(text)), 201);
        }),
      ),
    );
    const classify = `/api/v1/classify/${world.classifier}/classifications`;
    await row("60 classifications at once, five times", async () => {
      for (let round = 0; round < 5; round += 1) {
        const texts = Array.from({ length: 60 }, (_, n) => `${invoiceText} ${round} ${n}`);
        await Promise.all(
          texts.map((each, n) => expectStatus(rest.post(classify, { text: each, externalId: `external ${n}` }), 201)),
        );
      }
    });
    const targets = await copy(of("configuration", "models"), { _id: world.receipts }, "mdl", routes, (n) => ({
      name: `Target ${n}`,
      foldedName: `target ${n}`,
    }));
    const examples = Array.from({ length: 20 }, (_, at) => `${at} ${"example ".repeat(250)}`.slice(0, 2_000));
    await row(`a classifier with ${routes} routes of 20 examples of 2,000 characters`, async () => {
      const { id } = await world.create("/api/v1/classify", { projectId, name: "Large", routes: [] });
      for (const deploymentId of targets)
        await world.create(`/api/v1/classify/${id}/routes`, { deploymentId, examples });
      await world.create(`/api/v1/classify/${id}/classifications`, { text: invoiceText });
      await expectStatus(rest.send(`/api/v1/classify/${id}`, { method: "DELETE" }), 204);
    });
    const imported = await copy(of("extraction", "files"), { _id: world.file }, "fil", importedFiles, (n) => ({
      filename: `file ${n}`,
      position: `0~import ${n}`,
    }));
    const values = { total: 12.5 };
    const lines = imported.map((fileId) => JSON.stringify({ fileId, deploymentId: world.invoices, values }));
    await row(`an import of ${importedFiles} accepted values`, () =>
      expectStatus(
        rest.upload(`/api/v1/projects/${projectId}/accepted-values:import`, "a.jsonl", Buffer.from(lines.join("\n"))),
        200,
      ),
    );
    const deleted = (await world.create("/api/v1/projects", { name: "Deleted" })).id as string;
    const doomedModels = await copy(of("configuration", "models"), { _id: world.receipts }, "mdl", models, (n) => ({
      ...{ projectId: deleted, name: `Model ${n}`, foldedName: `model ${n}` },
    }));
    const schema = { modelId: world.receipts };
    await copy(of("configuration", "schemas"), schema, "sch", models, (n) => ({
      ...{ projectId: deleted, modelId: doomedModels[n] },
    }));
    await row(`the deletion of a project with ${models} models and their schemas`, () =>
      expectStatus(rest.send(`/api/v1/projects/${deleted}`, { method: "DELETE" }), 204),
    );

    for (const [name, database] of Object.entries(collections)) await of(database, name).dropIndexes();
    const { globalClassifier } = await createSkewedWorld(world, system.uri, count, Object.keys(collections));
    const ping = await new mongoose.mongo.MongoClient(system.uri).connect();
    let [longestPing, isBuilding] = [0, true];
    await row(`a start that builds the indexes of 4 x ${count} documents`, async () => {
      const building = system.replica().finally(() => (isBuilding = false));
      while (isBuilding) {
        const began = performance.now();
        await ping.db("admin").command({ ping: 1 });
        longestPing = Math.max(longestPing, performance.now() - began);
      }
      await (await building).close();
    });
    await ping.close();
    console.log(`  the longest ping meanwhile took ${longestPing.toFixed(1)} ms by the clock`);
    await row(`paging through ${count} classifications`, async () => {
      const path = `/api/v1/classify/${globalClassifier}/classifications?limit=500`;
      for (let token = "", more = true; more; more = token !== "") {
        const page = await rest.get(`${path}${token === "" ? "" : `&pageToken=${encodeURIComponent(token)}`}`);
        token = page.body.nextPageToken ?? "";
      }
    });
    await row("the export of all data to an archive", async () => {
      const from = await connectForTransfer(system.uri);
      await writeArchive(await createServerSource(from, "the store"), join(folder, "archive"), () => undefined);
      await from.close();
    });
    const target = await startWatchedStore(join(folder, "target"));
    await row(
      "the import of that archive",
      async () => {
        const to = await connectForTransfer(target.uri);
        await importInto(to, await openArchive(join(folder, "archive")), {
          replace: false,
          onImported: () => undefined,
        });
        await to.close();
      },
      target,
    );
    await target.close();
    console.log(`  aim: no time slice with more than ${maxBusyMs} ms of processor time: ${isGood ? "kept" : "missed"}`);
    return isGood;
  } finally {
    await client.close();
    await system.close();
    await rm(folder, { recursive: true, force: true });
  }
}
