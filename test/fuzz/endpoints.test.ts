import type { Route } from "@switchyard/rest";
import fc from "fast-check";
import { Agent } from "node:http";
import { Writable } from "node:stream";
import type { RestResponse } from "../rest.ts";
import { endpoints, getName } from "../specification/testing/rpcs.ts";
import type { SampleRequest } from "../specification/testing/rpcs.ts";
import { createSampleWorld } from "../specification/testing/sample-world.ts";
import type { SampleWorld } from "../specification/testing/sample-world.ts";
import { getSamples } from "../specification/testing/samples.ts";
import { startTestSystem } from "../system.ts";
import type { TestSystem } from "../system.ts";
import { describeAttempt, describeBytes, sendAttempt } from "./http.ts";
import { findFaults } from "./invariants.ts";
import type { JsonSchema } from "./json-schema.ts";
import { changesOf, createAttempt } from "./requests.ts";
import type { Ids } from "./requests.ts";
import { createSnapshot } from "./snapshot.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const seed = Number(process.env["SWITCHYARD_TEST_SEED"] ?? Date.now() % 1_000_000);
const count = isLong ? 2_000 : 50;
/** After this many requests, resources that requests use up are created again. */
const renewed = 20;

/**
 * Random requests to every endpoint, derived from the contracts: valid ones, nearly valid ones and hostile ones. The name contains the
 * seed; set SWITCHYARD_TEST_SEED to repeat a run.
 */
describe(`${count} random requests to every endpoint (SWITCHYARD_TEST_SEED=${seed})`, () => {
  let system: TestSystem;
  let world: SampleWorld;
  let ids: Ids;
  let document: JsonSchema;
  let before: ReadonlyMap<string, string>;
  const agent = new Agent({ keepAlive: true });
  const printed: string[] = [];
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      printed.push(chunk.toString("utf8"));
      done();
    },
  });

  beforeAll(async () => {
    system = await startTestSystem("one process", { readTimeoutMs: 3_000, log });
    world = await createSampleWorld(system.url, system.token);
    const other = await createSampleWorld(system.url, await system.anotherOrganization("Elsewhere"), "Other");
    ids = { own: getIds(world), foreign: getIds(other) };
    document = (await world.rest.get("/openapi.json")).body;
    before = await createSnapshot(world);
  });
  afterAll(async () => {
    agent.destroy();
    await system?.close();
  });

  function getIds(of: SampleWorld): readonly string[] {
    const all = [of.projectId, of.invoices, of.receipts, of.deployment, of.firstSchema, of.secondSchema, of.classifier];
    return [...all, of.route, of.classification, of.file, of.extraction, of.execution, of.user, of.team, of.token];
  }

  // Reading comes first, because lists become long when much is created.
  const ordered = [...endpoints].sort(
    (one, other) => Number(one.httpMethod !== "GET") - Number(other.httpMethod !== "GET"),
  );

  it.each(ordered.map((route) => ({ name: `${route.httpMethod} ${route.path}`, route })))(
    "$name",
    async ({ route }) => {
      let sent = 0;
      let current: readonly SampleRequest[] = [];
      const samples = async (): Promise<readonly SampleRequest[]> => {
        if (sent % renewed === 0) current = await createSamples(route);
        sent += 1;
        return current;
      };
      const [first = {}] = await samples();
      const drafts = fc.tuple(fc.nat({ max: getSamples(route).length - 1 }), changesOf(route, first, ids));
      const property = fc.asyncProperty(drafts, async ([which, changes]) => {
        const sample = (await samples())[which] ?? {};
        const attempt = createAttempt(route, sample, changes, world.secret);
        const received = await sendAttempt(system.url, agent, attempt);
        const faults = findFaults(attempt, received, document);
        const taken = received.status < 300 && attempt.method === route.httpMethod;
        if (taken && ids.foreign.includes(changes.path?.text ?? "")) faults.push("a foreign ID was taken");
        if (faults.length === 0) return;
        const response = `${received.status} ${JSON.stringify(received.headers)}\n${describeBytes(received.body)}`;
        throw new Error(`${faults.join("; ")}\n\n${describeAttempt(attempt)}\n\n${response}`);
      });
      await fc.assert(property, { numRuns: count, seed });
    },
    isLong ? 1_200_000 : 120_000,
  );

  async function createSamples(route: Route): Promise<readonly SampleRequest[]> {
    const created = [];
    for (const sample of getSamples(route)) created.push(await sample(world));
    if (created.length === 0) throw new Error(`${getName(route)} has no samples`);
    return created;
  }

  it("leave the server and its data intact", async () => {
    expect(await createSnapshot(world)).toEqual(before);
    const { classificationCount } = (await world.rest.get(`/api/v1/classify/${world.classifier}`)).body;
    expect(await countAll(`/api/v1/classify/${world.classifier}/classifications`)).toBe(classificationCount);
  });

  it("cause no errors in the log", () => {
    const errors = printed.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
    expect(errors).toEqual([]);
  });

  async function countAll(path: string): Promise<number> {
    let total = 0;
    for (let token: string | null = ""; token !== null;) {
      const { body }: RestResponse = await world.rest.get(
        `${path}?limit=500${token === "" ? "" : `&pageToken=${token}`}`,
      );
      total += body.data.length;
      token = body.nextPageToken;
    }
    return total;
  }
});
