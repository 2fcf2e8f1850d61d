import mongoose from "mongoose";
import { createSampleWorld } from "../specification/sample-world.ts";
import { createSkewedWorld } from "../specification/skewed-lists.ts";
import { startTestSystem } from "../system.ts";
import { measured } from "./measuring.ts";

/** How many documents every list has to choose from. */
const count = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 100_000 : 20_000;
/** A page by a filter takes no longer than so many times the page without one, and 20 ms: what is left to chance. */
const mostRatio = 5;
const chanceMs = 20;
/** How many classifications are written to compare what their indexes cost. */
const written = 2_000;

type Collection = mongoose.mongo.Collection<any>;

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

/** Writes copies of classifications into a collection of its own, one by one, with these indexes of theirs; returns ms for each. */
async function writeCost(from: Collection, isKept: (name: string) => boolean): Promise<number> {
  const to = from.db.collection<any>(`written_${String(Math.random()).slice(2)}`);
  const indexes = (await from.indexes()).filter(({ name }) => name !== "_id_" && isKept(name ?? ""));
  for (const { v: _, ...index } of indexes) await to.createIndex(index["key"], index);
  const documents = await from.find({}, { limit: written }).toArray();
  const seconds = await secondsOf(async () => {
    for (const document of documents) await to.insertOne(document);
  });
  await to.drop();
  return (seconds * 1_000) / documents.length;
}

/** Pages of lists of very many documents by each filter, what their indexes cost writes, and what making them costs a start. */
export async function measure(): Promise<boolean> {
  const system = await startTestSystem("one process");
  const client = await new mongoose.mongo.MongoClient(system.uri).connect();
  try {
    const sample = await createSampleWorld(system.url, system.token);
    let world = { globalClassifier: "" };
    const seeding = await secondsOf(async () => (world = await createSkewedWorld(sample, system.uri, count)));
    console.log(`  ${count} documents in each list, written within ${seeding.toFixed(0)} s`);
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
        isGood &&= medianMs <= mostRatio * whole + chanceMs;
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
    for (const { name = "" } of indexes) await records.dropIndex(name);
    const again = await secondsOf(async () => (await system.replica()).close());
    const next = await secondsOf(async () => (await system.replica()).close());
    console.log(`  a start that makes these indexes: ${again.toFixed(1)} s, the next one ${next.toFixed(1)} s`);
    return isGood;
  } finally {
    await client.close();
    await system.close();
  }
}
