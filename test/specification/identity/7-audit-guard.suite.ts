import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { JobStatus } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import type { Route } from "@switchyard/rest";
import { takesIdempotencyKey } from "@switchyard/rpc";
import { eventually } from "@switchyard/storage/testing";
import mongoose from "mongoose";
import { createRest } from "../../rest.ts";
import type { RestResponse } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { getBody, givenSystem } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { getName, rpcs, send, valueAt } from "../testing/rpcs.ts";
import type { SampleRequest } from "../testing/rpcs.ts";
import { createSampleWorld, invoiceText } from "../testing/sample-world.ts";
import type { SampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";

/** Methods that change something without being administrative, with the reason. */
const work: Readonly<Record<string, string>> = {
  "ClassifierService.Classify": "what the system is there for: every classification has a record with who and when",
  "ClassifierService.Reclassify": "the same",
  "ClassifierService.BatchClassify": "the same",
  "ExtractionService.CreateExtraction": "the same: every extraction has a record with who and when",
};

/** Fields of requests that an entry has under another name, which is permanent or is a count of them. */
const saidBy: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "ConfigurationService.CreateModel": { tables: "extractionSchemaId", columns: "extractionSchemaId" },
  "BenchmarkService.CreateExecution": { fileIds: "fileCount" },
  "JobService.ExtractAll": { fileIds: "fileCount" },
};

/** The ID of the changed resource, if it is neither created by the call nor the last one in the path. */
const targets: Readonly<Record<string, (request: SampleRequest, response: RestResponse) => unknown>> = {
  "AcceptedValuesService.AcceptExtraction": (_, { body }) => body.fileId,
  "AcceptedValuesService.ImportAcceptedValues": ({ file }) => JSON.parse(file?.text ?? "{}").fileId,
};

const changing = rpcs.filter(
  ({ method, removed }) => removed === undefined && method.idempotency !== IdempotencyLevel.NO_SIDE_EFFECTS,
);
const named = (routes: readonly Route[]) => routes.map((route) => [getName(route), route] as const);
const administrative = changing.filter((route) => !(getName(route) in work));

/** Section 7: the audit trail has every administrative change. The contracts define which methods change something. */
export function auditGuardSuite(where: Where): void {
  const given = givenSystem(where);
  let system: TestSystem;
  let world: SampleWorld;
  let weak: string;
  let me: any;
  let client: mongoose.mongo.MongoClient;
  const actions = new Map<string, string>();

  beforeAll(async () => {
    ({ system } = given);
    world = await createSampleWorld(system.url, system.token);
    const token = { name: "Weak", scope: "ORGANIZATION", permissions: ["documents:read"] };
    weak = (await world.create("/api/v1/tokens", token)).secret;
    me = (await world.rest.get("/api/v1/me")).body;
    // The first use of a token has an entry, too.
    await createRest(system.url, weak).get("/api/v1/me");
    client = await new mongoose.mongo.MongoClient(system.uri).connect();
  });
  afterAll(() => client?.close());

  const database = (service: string) => client.db(`switchyard_${service}`);

  /** Returns the newest entries, after all outboxes are empty. */
  async function entries(): Promise<any[]> {
    for (const service of ["benchmark", "classifier", "extraction"]) {
      const outbox = database(service).collection("audit_outbox");
      await eventually("the audit trail", async () => ((await outbox.countDocuments({})) === 0 ? true : undefined));
    }
    return (await getBody(world.rest.get("/api/v1/audit?limit=500"), 200)).data;
  }

  /** Returns a request that changes something. */
  async function toRequest(route: Route): Promise<SampleRequest> {
    const [sample] = getSamples(route);
    if (sample === undefined) throw new Error(`${getName(route)} has no sample`);
    const request = await sample(world);
    if (getName(route) === "BenchmarkService.CancelExecution") await runAgain(request.path?.["executionId"] ?? "");
    if (getName(route) === "JobService.CancelJob") await runJobAgain(request.path?.["jobId"] ?? "");
    return request;
  }

  /** Sets a run that has ended back to running, because such a small run usually ends before it can be cancelled. */
  async function runAgain(executionId: string): Promise<void> {
    const now = new Date();
    const lease = { owner: "a worker", until: new Date(now.getTime() + 3_600_000), fence: 99 };
    const running = { status: ExecutionStatus.RUNNING, completedAt: null, progressAt: now, lease };
    const executions = database("benchmark").collection<{ _id: string }>("executions");
    await executions.updateOne({ _id: executionId }, { $set: running });
  }

  async function runJobAgain(jobId: string): Promise<void> {
    const now = new Date();
    const lease = { owner: "a worker", since: now, until: new Date(now.getTime() + 3_600_000), fence: 99 };
    const running = { status: JobStatus.RUNNING, completedAt: null, progressAt: now, lease };
    await database("extraction").collection<{ _id: string }>("jobs").updateOne({ _id: jobId }, { $set: running });
  }

  it("is tested with every RPC except for those that are listed with a reason", () => {
    const known = new Set(changing.map(getName));
    const listed = [work, saidBy, targets].flatMap(Object.keys);
    expect(listed.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(named(administrative))("has one entry for %s, and one for its refusal", async (name, route) => {
    const request = await toRequest(route);
    const refused = await send(createRest(system.url, weak, { "x-request-id": `${name}.refused` }), route, request);
    expect(refused.status).toBe(403);
    const key = takesIdempotencyKey(route.method) ? { "idempotency-key": `audit ${name}` } : {};
    const as = (requestId: string) => createRest(system.url, system.token, { "x-request-id": requestId, ...key });
    const response = await send(as(name), route, request);
    expect([response.status, response.text]).toEqual([route.successStatus, response.text]);
    // The response is a replay, or nothing is left to change. Neither is a change.
    if ("idempotency-key" in key) await send(as(`${name}.again`), route, request);

    const all = await entries();
    const found = all.filter(({ requestId }) => requestId.startsWith(`${name}.`) || requestId === name);
    const path = route.template.variables.at(-1)?.field ?? "";
    const jsonName = route.method.input.fields.find((field) => field.name === path)?.jsonName ?? path;
    const made = response.body?.id ?? response.body?.executionId;
    const targetId = targets[name]?.(request, response) ?? made ?? valueAt(request, ["path", jsonName]);
    expect(found).toMatchObject([
      { outcome: "DONE", requestId: name, tokenId: me.token.id, userId: me.user.id, targetId },
      {
        outcome: "REFUSED",
        requestId: `${name}.refused`,
        action: found[0]?.action,
        changes: { reason: "MISSING_PERMISSION" },
      },
    ]);
    // The action has the verb of the method, and no other method has the same action.
    const [{ action, changes }] = found;
    const [verb = ""] = /^[A-Z][a-z]*/.exec(route.method.name) ?? [];
    expect(action).toMatch(new RegExp(`^[a-z][A-Za-z]*\\.${verb.toLowerCase()}`));
    expect([...actions].filter(([other, its]) => its === action && other !== name)).toEqual([]);
    actions.set(name, action);

    const fields = Object.keys(request.body ?? {}).map((field) => saidBy[name]?.[field] ?? field);
    expect({ fields, missing: fields.filter((field) => !(field in changes)) }).toEqual({ fields, missing: [] });
    expect(Object.keys(changes)).not.toEqual([]);
    const content = [...invoiceText.trim().split("\n"), "Amount due", "12.5"];
    const exposed = JSON.stringify(changes);
    expect(content.filter((text) => exposed.includes(text))).toEqual([]);
    const secrets = [system.token, response.body?.secret ?? system.token];
    expect(secrets.filter((secret) => JSON.stringify(all).includes(secret))).toEqual([]);
  });

  it.each(named(changing.filter((route) => getName(route) in work)))("has no entry for %s", async (name, route) => {
    for (const sample of getSamples(route)) {
      const request = await sample(world);
      const rest = createRest(system.url, system.token, { "x-request-id": name });
      expect((await send(rest, route, request)).status).toBe(route.successStatus);
    }
    expect((await entries()).filter(({ requestId }) => requestId === name)).toEqual([]);
  });
}
