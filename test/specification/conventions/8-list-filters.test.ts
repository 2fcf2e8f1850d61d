import type { Route } from "@switchyard/rest";
import mongoose from "mongoose";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { startTestSystem } from "../../system.ts";
import type { TestSystem } from "../../system.ts";
import { createCommandTap } from "../testing/command-tap.ts";
import type { CommandTap } from "../testing/command-tap.ts";
import { getName, getQueryFields, rpcs, getTarget } from "../testing/rpcs.ts";
import type { SampleRequest } from "../testing/rpcs.ts";
import { createSampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";
import { createSkewedWorld } from "../testing/skewed-lists.ts";
import type { SkewedWorld } from "../testing/skewed-lists.ts";

/** The requests that a list is tested with. */
interface AskedList {
  /** Values for every filter of the list. Many documents match each, and none matches two. */
  readonly filters: Readonly<Record<string, (world: SkewedWorld) => readonly string[]>>;
  /** Variables of the path, if they differ from the sample's. */
  readonly path?: (world: SkewedWorld) => Readonly<Record<string, string>>;
}

const none: AskedList = { filters: {} };

/** Every list, with values for every filter. New lists and filters are added here. */
const lists: Readonly<Record<string, AskedList>> = {
  "EngineService.ListEngines": none,
  "IdentityService.ListProjects": none,
  "IdentityService.ListTokens": none,
  "IdentityService.ListTeams": none,
  "IdentityService.ListUsers": none,
  "IdentityService.ListAuditEntries": {
    filters: {
      action: () => ["identity.CreateTeam", "identity.Nothing"],
      actorId: ({ user }) => [user, "tok_other"],
      targetId: ({ team }) => [team, "target_1"],
      from: ({ from }) => [from],
      to: ({ to }) => [to],
    },
  },
  "ConfigurationService.ListModels": { filters: { status: () => ["ACTIVE", "PAUSED"] } },
  "ConfigurationService.ListConfigurationVersions": none,
  "ExtractionService.ListFiles": {
    filters: { accepted: () => ["true", "false"], deploymentId: ({ invoices, receipts }) => [invoices, receipts] },
  },
  "ExtractionService.ListExtractions": {
    filters: {
      fileId: ({ file }) => [file, "fil_1"],
      deploymentId: ({ receipts, deployment }) => [receipts, deployment],
      status: () => ["COMPLETED", "FAILED"],
    },
  },
  "ValuesService.ListValues": {
    filters: {
      status: () => ["ACCEPTED", "NEEDS_REVIEW", "UNREVIEWED"],
      from: ({ from }) => [from],
      to: ({ to }) => [to],
    },
  },
  "BenchmarkService.ListExecutions": none,
  "BenchmarkService.ListFileResults": { filters: { status: () => ["SCORED", "FAILED"] } },
  "ClassifierService.ListClassifiers": none,
  "ClassifierService.ListRoutes": none,
  "ClassifierService.ListTargetRoutes": none,
  "ReviewService.ListReview": { filters: { kind: () => ["CLASSIFICATION", "EXTRACTION"] } },
  "ClassifierService.ListClassifications": {
    path: ({ globalClassifier }) => ({ classifierId: globalClassifier }),
    filters: {
      status: () => ["CLASSIFIED", "UNCLASSIFIED"],
      reason: () => ["NO_MATCH", "BELOW_THRESHOLD"],
      routeId: ({ route }) => [route, "rte_other"],
      externalId: () => ["many", "external-500"],
    },
  },
  "ClassifierService.ListProjectClassifications": {
    filters: {
      status: () => ["CLASSIFIED", "UNCLASSIFIED"],
      reason: () => ["NO_MATCH", "BELOW_THRESHOLD"],
      classifierId: ({ classifier, globalClassifier }) => [classifier, globalClassifier],
      from: ({ recordsFrom }) => [recordsFrom],
      to: ({ recordsTo }) => [recordsTo],
    },
  },
};

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
/** The number of documents behind every list. */
const count = isLong ? 100_000 : 1_000;
const limit = 20;
/** The size of a page whose end is deep in the list; 500 is the largest. */
const largeLimit = Math.min(500, count / 4);
/** The number of documents that a query may always examine. */
const constant = 50;

const isList = ({ method }: Route): boolean => method.name.startsWith("List");
const paging = ["limit", "pageToken"];
const getFilters = (route: Route, sample: SampleRequest): string[] =>
  getQueryFields(route)
    .map(({ jsonName }) => jsonName)
    .filter(
      (name) =>
        !paging.includes(name) &&
        (sample.query?.[name] === undefined || name in (lists[getName(route)]?.filters ?? {})),
    );

describe(`lists of ${count} documents`, () => {
  let system: TestSystem;
  let tap: CommandTap;
  let world: SkewedWorld;
  let client: mongoose.mongo.MongoClient;
  let callers: Readonly<Record<string, Rest>>;
  /** The costs of known queries, because most requests start with the same ones. */
  const known = new Map<string, { examined: number; returned: number }>();

  beforeAll(async () => {
    system = await startTestSystem("one process", { between: async (uri) => (tap = await createCommandTap(uri)) });
    const sampleWorld = await createSampleWorld(system.url, system.token);
    world = await createSkewedWorld(sampleWorld, system.uri, count);
    client = await new mongoose.mongo.MongoClient(system.uri).connect();
    callers = {
      everything: world.rest,
      "one project": createRest(system.url, world.projectToken),
      "some projects": createRest(system.url, world.projectsToken),
    };
  }, 600_000);
  afterAll(async () => {
    await client?.close();
    await system?.close();
  });

  async function getCost({ $db, find, filter, sort, limit: most, batchSize, projection }: any) {
    // A cursor reads one batch.
    const size = most ?? batchSize;
    const optional = { ...(sort && { sort }), ...(size && { limit: size }), ...(projection && { projection }) };
    const text = JSON.stringify([$db, find, filter, optional]);
    const before = known.get(text);
    if (before !== undefined) return { text, ...before };
    const explained = { explain: { find, filter, ...optional }, verbosity: "executionStats" };
    const { executionStats } = await client.db($db).command(explained);
    const { nReturned: returned, totalDocsExamined, totalKeysExamined } = executionStats;
    const cost = { examined: Math.max(totalDocsExamined, totalKeysExamined), returned };
    known.set(text, cost);
    return { text, ...cost };
  }

  /** Requests a list, and examines every query that this caused. */
  async function ask(rest: Rest, target: string): Promise<{ token: string | undefined; faults: string[] }> {
    const before = tap.commands().length;
    const { body, status, text, headers } = await rest.get(target);
    if (status !== 200 && status !== 403) throw new Error(`${status} ${text} for ${target}`);
    const costs = [];
    for (const command of tap.commands().slice(before)) {
      if (typeof command.find === "string") costs.push(await getCost(command));
    }
    const faults = costs
      .filter(({ examined, returned }) => examined > 10 * returned + constant)
      .map(({ text, examined, returned }) => `${examined} for ${returned}: ${text}`);
    const entries = Object.values(body ?? {}).find(Array.isArray) ?? body ?? [];
    const all = costs.reduce((sum, { examined }) => sum + examined, 0);
    if (all > 10 * entries.length + 2 * constant) faults.push(`${all} for ${entries.length} entries`);
    const next = /[?&]pageToken=([^&>]*)/.exec(headers?.get("link") ?? "")?.[1];
    return {
      token: body?.nextPageToken ?? (next && decodeURIComponent(next)),
      faults: faults.map((fault) => `${target} looks at ${fault}`),
    };
  }

  it("are all in this table, with all of their filters", async () => {
    const found = await Promise.all(
      rpcs.filter(isList).map(async (route) => {
        const [sample] = getSamples(route);
        if (sample === undefined) throw new Error(`${getName(route)} has no sample`);
        return [getName(route), getFilters(route, await sample(world)).sort()] as const;
      }),
    );
    const listed = Object.entries(lists).map(([name, { filters }]) => [name, Object.keys(filters).sort()]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
  });

  it.each(rpcs.filter(isList).map((route) => [getName(route), route] as const))(
    "%s examines at most ten times as many documents as it returns, with any filters",
    async (name, route) => {
      const { filters, path } = lists[name] ?? none;
      const faults: string[] = [];
      for (const sample of getSamples(route)) {
        const given = await sample(world);
        const kept = Object.entries(given.query ?? {}).filter(([field]) => !(field in filters));
        const single = Object.entries(filters).flatMap(([field, values]) =>
          values(world).map((value) => ({ [field]: value })),
        );
        const pairs = single.flatMap((one, at) =>
          single
            .slice(at + 1)
            .filter((other) => Object.keys(one)[0] !== Object.keys(other)[0])
            .map((other) => ({ ...one, ...other })),
        );
        const paged = getQueryFields(route).some(({ jsonName }) => jsonName === "limit");
        for (const [index, filter] of [{}, ...single, ...pairs].entries()) {
          // Each pair of filters is asked for by one caller in turn; by all with long counts.
          const isPair = Object.keys(filter).length > 1;
          const asking = Object.values(callers).filter((_, at) => isLong || !isPair || at === index % 3);
          for (const rest of asking) {
            const query = { ...Object.fromEntries(kept), ...filter };
            const request = { ...given, ...(path && { path: path(world) }) };
            const at = (more: object) => getTarget(route, { ...request, query: { ...query, ...more } });
            const page = await ask(rest, at(paged ? { limit: String(limit) } : {}));
            faults.push(...page.faults);
            if (page.token === undefined || isPair) continue;
            // A page token is valid for pages of other sizes. This one is deep in the list.
            const large = await ask(rest, at({ limit: String(largeLimit) }));
            if (large.token === undefined) continue;
            faults.push(...(await ask(rest, at({ limit: String(limit), pageToken: large.token }))).faults);
          }
        }
      }
      expect(faults).toEqual([]);
    },
    600_000,
  );
});
