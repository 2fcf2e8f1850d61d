import { createOffice, finishedExtraction } from "../../journeys/fixture.ts";
import type { Office } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { finishedExecution } from "./benchmarks.ts";
import { finishedJob } from "./jobs.ts";
import { getBody, givenSystem } from "./office.ts";
import type { GivenSystem, Where } from "./office.ts";

/** A document that the office's classifiers route to its invoices. */
export const invoiceText =
  "INVOICE\nInvoice number: 4711\nInvoice date: 2026-01-31\nTotal amount: 12.50\nAmount due within 30 days\n";

/** An organization with one resource of each kind, which sample requests refer to. */
export interface SampleWorld extends Office {
  /** The API with a token that has every permission in the organization. */
  rest: Rest;
  /** The secret of that token. */
  secret: string;
  user: string;
  team: string;
  token: string;
  /** A route of the classifier, and the deployment that it names. */
  route: string;
  /** A record of the classifier, with its file and extraction, both finished. */
  classification: string;
  file: string;
  extraction: string;
  /** A finished benchmark execution of the invoices over that file, which is accepted. */
  execution: string;
  /** A job that has extracted the file again. */
  job: string;
  /** Returns a unique name. */
  newName(): string;
  /** Creates a resource that a sample uses up. Throws with the response if that fails. */
  create(path: string, body?: object): Promise<any>;
}

/** Creates one resource of each kind in an organization, over REST. */
export async function createSampleWorld(url: string, secret: string, name = "Sample"): Promise<SampleWorld> {
  const rest = createRest(url, secret);
  const create = (path: string, body: object = {}) => getBody(rest.post(path, body), 201);
  const office = await createOffice(rest, name);
  const user = await create("/api/v1/users", { name: "Sample user" });
  const team = await create("/api/v1/teams", { name: "Sample team", userIds: [user.id] });
  const token = await create("/api/v1/tokens", {
    name: "Sample token",
    scope: "PROJECT",
    projectId: office.projectId,
    permissions: ["classify"],
  });
  const record = await create(`/api/v1/classify/${office.classifier}/classifications`, {
    text: invoiceText,
    externalId: "sample",
  });
  if (record.status !== "CLASSIFIED") throw new Error(`the sample is not classified: ${JSON.stringify(record)}`);
  await finishedExtraction(rest, record.extraction.id);
  const file = { fileId: record.fileId, deploymentId: office.invoices, values: { total: 12.5 } };
  const accepted = `/api/v1/projects/${office.projectId}/accepted-values:import`;
  await getBody(rest.upload(accepted, "accepted.jsonl", Buffer.from(JSON.stringify(file))), 200);
  const run = { deploymentId: office.invoices, name: "Sample run" };
  const { executionId } = await create(`/api/v1/projects/${office.projectId}/benchmarks`, run);
  await finishedExecution(rest, executionId);
  const body = { fileIds: [record.fileId] };
  const { id: job } = await create(`/api/v1/deployments/${office.invoices}:extractAll`, body);
  await finishedJob(rest, job);
  let names = 0;
  return {
    ...office,
    rest,
    secret,
    user: user.id,
    team: team.id,
    token: token.id,
    route: record.routeId,
    classification: record.id,
    file: record.fileId,
    extraction: record.extraction.id,
    execution: executionId,
    job,
    newName: () => `${name} ${(names += 1)}`,
    create,
  };
}

/** A running system with a sample world in it. */
export interface GivenSampleWorld extends GivenSystem {
  world: SampleWorld;
}

/** Creates a sample world before the surrounding tests. */
export function givenSampleWorld(where: Where): GivenSampleWorld {
  const given = givenSystem(where) as GivenSampleWorld;
  beforeAll(async () => {
    given.world = await createSampleWorld(given.system.url, given.system.token);
  });
  return given;
}
