import { getFirstId, newId } from "@switchyard/storage";
import mongoose from "mongoose";
import { getBody } from "./office.ts";
import type { SampleWorld } from "./sample-world.ts";

/** Values for filters of lists: many documents have each, and none has two (except for the models of files). */
export interface SkewedWorld extends SampleWorld {
  /** A global classifier with very many records. */
  globalClassifier: string;
  /** Another project than the sample's. */
  otherProject: string;
  /** Secrets of a project token of the sample's project, and of an organization token with both projects. */
  projectToken: string;
  projectsToken: string;
  /** Bounds of a time range of old audit entries. */
  from: string;
  to: string;
  /** Bounds of a time range of records in the middle of the project's list. */
  recordsFrom: string;
  recordsTo: string;
}

type Change = (group: number, place: number) => object;

const batch = 1_000;
/** The time of the first copied record; each of the others is a millisecond later. */
const recordsStart = Date.UTC(2026, 0, 1);

/** Copies a stored document `count` times, in successive blocks of one group each. */
async function multiply(
  collection: mongoose.mongo.Collection<any>,
  query: object,
  copies: { count: number; groups: number; prefix: string; change: Change },
): Promise<void> {
  const original = await collection.findOne(query);
  if (original === null) throw new Error(`${collection.collectionName} has nothing to be copied`);
  const { count, groups, prefix, change } = copies;
  for (let from = 0; from < count; from += batch) {
    const documents = Array.from({ length: Math.min(batch, count - from) }, (_, at) => {
      const place = from + at;
      return { ...original, _id: newId(prefix), ...change(Math.floor((place * groups) / count), place) };
    });
    await collection.insertMany(documents, { ordered: false });
  }
}

/**
 * Adds `count` documents to each collection behind a list. They are in blocks, the oldest first, and each has one of the values of the
 * filters: each filter matches many documents, and two filters together none. `only` restricts the collections.
 */
export async function createSkewedWorld(
  world: SampleWorld,
  uri: string,
  count: number,
  only?: readonly string[],
): Promise<SkewedWorld> {
  const { create, projectId, invoices, receipts, deployment, route, execution, user, team, newName } = world;
  const { id: otherProject } = await create("/api/v1/projects", { name: newName(), teamIds: [team] });
  const projectIds = [projectId, otherProject];
  const { id: reading } = await create("/api/v1/teams", { name: newName(), projectIds, userIds: [user] });
  const permissions = ["documents:read", "models:read", "benchmarks:read"];
  const token = { permissions, userId: user };
  const ofProject = await create("/api/v1/tokens", { ...token, name: newName(), scope: "PROJECT", projectId });
  const ofProjects = await create("/api/v1/tokens", {
    ...{ ...token, name: newName(), scope: "ORGANIZATION", teamIds: [reading] },
  });
  const globalClassifier = (
    await create("/api/v1/classify", { projectId, name: newName(), routes: [{ deploymentId: invoices }] })
  ).id;
  await getBody(world.rest.post(`/api/v1/classify/${globalClassifier}:makeGlobal`), 200);

  const client = await new mongoose.mongo.MongoClient(uri).connect();
  const of = (database: string, name: string) => client.db(`switchyard_${database}`).collection<any>(name);
  const fills = (name: string): boolean => only === undefined || only.includes(name);
  const fill: typeof multiply = async (collection, query, copies) => {
    if (fills(collection.collectionName)) await multiply(collection, query, copies);
  };
  try {
    const classified = { status: 1, reason: 0, routeId: "rte_other" };
    const unclassified = { status: 2, reason: 3, routeId: null };
    const recordTime = (share: number) => new Date(recordsStart + Math.floor(count * share));
    await fill(
      of("classifier", "classifications"),
      { _id: world.classification },
      {
        ...{ count, groups: 5, prefix: "cls" },
        change: (group, place) => ({
          ...{ _id: `${getFirstId("cls", recordTime(place / count))}${String(place).padStart(16, "0")}` },
          ...{ classifierId: globalClassifier },
          externalId: group === 0 ? "many" : `external-${place}`,
          ...(group < 2 ? unclassified : classified),
          ...(group === 1 ? { reason: 4 } : {}),
          ...(group === 2 ? { routeId: route } : {}),
          reviewNeed: { rank: 1 + (place % 90), code: "NEAR_THRESHOLD", message: "" },
          tokenId: group === 3 ? ofProject.id : "tok_other",
          projectId: group === 4 ? projectId : place % 100 === 0 ? otherProject : "prj_other",
        }),
      },
    );
    await fill(
      of("classifier", "classifiers"),
      { _id: globalClassifier },
      {
        ...{ count, groups: 10, prefix: "clf" },
        change: (group) =>
          group === 0
            ? { projectId, listedIn: [projectId] }
            : { projectId: "prj_other", listedIn: ["prj_other"], routes: [] },
      },
    );
    await fill(
      of("extraction", "extractions"),
      { _id: world.extraction },
      {
        ...{ count, groups: 4, prefix: "ext" },
        change: (group, place) => ({
          fileId: group === 0 ? world.file : `fil_${place}`,
          modelId: group === 1 ? receipts : "mdl_other",
          deploymentId: group === 2 ? deployment : null,
          status: group === 3 ? 3 : 2,
          position: `0~${String(place).padStart(9, "0")}`,
        }),
      },
    );
    // From the fourth block on, each file is accepted for two or three of eight models.
    const acceptedFor = (group: number, place: number) => {
      const first = [[], [invoices], [receipts], [invoices], [receipts], [invoices, receipts]][group] ?? [];
      const models = group < 3 ? first : [...first, `mdl_${place % 6}`];
      return { acceptedFor: models, acceptedSet: [...models].sort().join(" ") };
    };
    await fill(
      of("extraction", "files"),
      { _id: world.file },
      {
        ...{ count, groups: 6, prefix: "fil" },
        change: (group, place) => ({
          ...acceptedFor(group, place),
          position: `0~${String(place).padStart(9, "0")}`,
          sha256: String(place).padStart(64, "0"),
        }),
      },
    );
    const start = Date.UTC(2020, 0, 1);
    await fill(
      of("extraction", "current_values"),
      { modelId: invoices },
      {
        ...{ count, groups: 5, prefix: "val" },
        change: (group, place) => ({
          fileId: `fil_${place}`,
          fileCreatedAt: new Date(start + place),
          position: `${String(start + place).padStart(15, "0")}~fil_${place}`,
          status: ["UNREVIEWED", "UNREVIEWED", "ACCEPTED", "NEEDS_REVIEW", "UNREVIEWED"][group],
          reviewPosition: `0~${String(place).padStart(9, "0")}`,
        }),
      },
    );
    await fill(
      of("configuration", "audit"),
      {},
      {
        ...{ count, groups: 5, prefix: "aud" },
        change: (group, place) => ({
          at: new Date(start + place),
          action: group === 1 ? "identity.CreateTeam" : "identity.Other",
          tokenId: group === 2 ? ofProject.id : "tok_other",
          userId: group === 3 ? user : "usr_other",
          targetId: group === 4 ? team : `target_${place}`,
        }),
      },
    );
    const executions = of("benchmark", "executions");
    const { finished } = await executions.findOne({ _id: execution }, { projection: { finished: 1 } });
    const first = Number(finished[0]);
    const results = Math.min(count, 16_000);
    await fill(
      of("benchmark", "results"),
      { executionId: execution },
      {
        ...{ count: results, groups: 2, prefix: "res" },
        change: (group, place) => ({
          _id: `${execution} ${first + 1 + place}`,
          ...{ place: place + 1, fileId: `fil_${place}`, status: group === 1 ? 2 : 1 },
        }),
      },
    );
    const entries = Array.from({ length: results }, (_, at) => first + 1 + at);
    if (fills("results"))
      await executions.updateOne({ _id: execution }, { $push: { finished: { $each: entries } } } as any);
    await fill(
      executions,
      { _id: execution },
      {
        ...{ count, groups: 1, prefix: "exe" },
        change: () => ({ projectId: "prj_other", finished: [] }),
      },
    );
    await fill(
      of("configuration", "models"),
      { _id: receipts },
      {
        ...{ count, groups: 1, prefix: "mdl" },
        change: (_, place) => ({
          projectId: place < 200 ? projectId : "prj_other",
          ...{ foldedName: `model ${place}`, status: "ACTIVE" },
        }),
      },
    );
    for (const [name, prefix] of [
      ["tokens", "tok"],
      ["teams", "tem"],
      ["users", "usr"],
    ] as const) {
      await fill(
        of("configuration", name),
        {},
        {
          ...{ count, groups: 1, prefix },
          change: (_, place) => ({ organizationId: "org_other", digest: `digest ${place}`, previousSecrets: [] }),
        },
      );
    }
    const times = { from: new Date(start + Math.floor(count / 10)), to: new Date(start + Math.floor(count / 5)) };
    return {
      ...world,
      ...{ globalClassifier, otherProject, projectToken: ofProject.secret, projectsToken: ofProjects.secret },
      ...{ from: times.from.toISOString(), to: times.to.toISOString() },
      ...{ recordsFrom: recordTime(0.85).toISOString(), recordsTo: recordTime(0.95).toISOString() },
    };
  } finally {
    await client.close();
  }
}
