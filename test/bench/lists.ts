import { testDatabaseName } from "@switchyard/storage/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { createSampleWorld } from "../specification/testing/sample-world.ts";
import { createSkewedWorld } from "../specification/testing/skewed-lists.ts";
import { startTestSystem } from "../system.ts";
import { measured } from "./testing/measuring.ts";

/** The number of documents behind every measured list. */
const count = Number(process.env["SWITCHYARD_BENCH_RECORDS"] ?? 20_000);
/** The maximum ratio of a page with a filter to a page without, beyond a tolerance of 20 ms. */
const maxRatio = 5;
const noiseMs = 20;
/** The number of classifications that are written to compare the cost of their indexes. */
const written = 2_000;

type Collection = mongoose.mongo.Collection<any>;

async function getSeconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

/** Writes copies of classifications one by one into a separate collection with the given indexes. Returns milliseconds per write. */
async function writeCost(from: Collection, isKept: (name: string) => boolean): Promise<number> {
  const to = from.db.collection<any>(`written_${String(Math.random()).slice(2)}`);
  const indexes = (await from.indexes()).filter(({ name }) => name !== "_id_" && isKept(name ?? ""));
  for (const { v: _, ...index } of indexes) await to.createIndex(index["key"], index);
  const documents = await from.find({}, { limit: written }).toArray();
  const seconds = await getSeconds(async () => {
    for (const document of documents) await to.insertOne(document);
  });
  await to.drop();
  return (seconds * 1_000) / documents.length;
}

/** The collections behind the lists, and their databases. */
const databases = {
  classifications: "classifier",
  extractions: "extraction",
  files: "extraction",
  audit: "configuration",
};

/** Drops the indexes of lists, as if the documents were older than the indexes. Returns their number. */
async function dropIndexes(client: mongoose.mongo.MongoClient): Promise<number> {
  let dropped = 0;
  for (const [name, database] of Object.entries(databases)) {
    const collection = client.db(`switchyard_${database}`).collection(name);
    dropped += (await collection.indexes()).length - 1;
    await collection.dropIndexes();
  }
  return dropped;
}

/**
 * Measures a start over older documents, which creates all indexes of the lists, pages of large lists with each filter, and the cost of the
 * indexes for writes. Uses the embedded store with its file on disk, or MongoDB with MONGOD_BINARY.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const system = await startTestSystem("replicas", { folder });
  const client = await new mongoose.mongo.MongoClient(system.uri).connect();
  try {
    const sample = await createSampleWorld(system.url, system.token);
    let world = { globalClassifier: "" };
    const dropped = await dropIndexes(client);
    const seeding = await getSeconds(
      async () => (world = await createSkewedWorld(sample, system.uri, count, Object.keys(databases))),
    );
    console.log(`  ${testDatabaseName}: ${count} documents in each list, written within ${seeding.toFixed(0)} s`);
    const first = await getSeconds(async () => (await system.replica()).close());
    const next = await getSeconds(async () => (await system.replica()).close());
    console.log(`  a start that makes ${dropped} indexes: ${first.toFixed(1)} s, the next one ${next.toFixed(1)} s`);
    const classifications = `/api/v1/classify/${world.globalClassifier}/classifications`;
    const extractions = `/api/v1/projects/${sample.projectId}/extractions`;
    const files = `/api/v1/projects/${sample.projectId}/files`;
    const lists: readonly [string, readonly string[]][] = [
      [classifications, ["", "externalId=many", "reason=NO_MATCH", `routeId=${sample.route}`, "status=UNCLASSIFIED"]],
      [extractions, ["", "status=FAILED", `fileId=${sample.file}`, `deploymentId=${sample.receipts}`]],
      [files, ["", "accepted=true", "accepted=false", `deploymentId=${sample.invoices}`]],
      ["/api/v1/audit", ["", "action=identity.CreateTeam", `actorId=${sample.user}`, `targetId=${sample.team}`]],
    ];
    const headers = { authorization: `Bearer ${system.token}` };
    let isGood = true;
    for (const [path, filters] of lists) {
      const contenders = filters.map((filter) => ({
        name: `${path}?${filter}`,
        url: `${system.url}${path}?limit=20&${filter}`,
        headers,
      }));
      const results = await measured(contenders, 40);
      const whole = results[0]?.medianMs ?? 0;
      for (const [at, { medianMs }] of results.entries()) {
        const ratio = medianMs / whole;
        isGood &&= medianMs <= maxRatio * whole + noiseMs;
        const name = path.split("/").at(-1);
        console.log(`  ${name}?${filters[at] ?? ""}: ${medianMs.toFixed(1)} ms, ${ratio.toFixed(2)} of the whole list`);
      }
    }
    const records = client.db("switchyard_classifier").collection<any>("classifications");
    const ofLists = (name: string) => name.startsWith("classifierId_");
    const with24 = await writeCost(records, () => true);
    const without = await writeCost(records, (name) => !ofLists(name));
    const indexes = (await records.indexes()).filter(({ name }) => ofLists(name ?? ""));
    console.log(
      `  a classification: ${with24.toFixed(2)} ms with ${indexes.length} indexes of lists, ${without.toFixed(2)} without`,
    );
    return isGood;
  } finally {
    await client.close();
    await system.close();
    await rm(folder, { recursive: true, force: true });
  }
}
