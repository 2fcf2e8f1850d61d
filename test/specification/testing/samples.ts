import type { Route } from "@switchyard/rest";
import { eventually } from "@switchyard/storage/testing";
import { finishedExtraction, sample } from "../../journeys/fixture.ts";
import { finishedExecution } from "./benchmarks.ts";
import { getBody } from "./office.ts";
import { getName } from "./rpcs.ts";
import type { SampleRequest } from "./rpcs.ts";
import { invoiceText } from "./sample-world.ts";
import type { SampleWorld } from "./sample-world.ts";

/**
 * Creates a request that succeeds, with IDs of this world, and that changes something if its method does. It must fill every field that is
 * an ID, and create every resource that it uses up, so that it can be called again.
 */
export type Sample = (world: SampleWorld) => SampleRequest | Promise<SampleRequest>;

const permissions = ["documents:read"];
const tables = [{ slug: "letter", name: "Letter", isPrimary: true }];
const columns = [{ slug: "sender", name: "Sender" }];

/** Creates a model that no route targets. */
async function newModel({ create, projectId, newName }: SampleWorld): Promise<string> {
  const { id } = await create(`/api/v1/projects/${projectId}/deployments`, { name: newName(), tables, columns });
  return id;
}

async function newModelWithPolicy(world: SampleWorld): Promise<string> {
  const id = await newModel(world);
  const body = JSON.stringify({ error: 0.05 });
  const request = { method: "PUT", headers: { "content-type": "application/json" }, body };
  const path = `/api/v1/deployments/${id}/review-policy`;
  await getBody(world.rest.send(path, request), 200);
  // The responses of all protocols are compared, so nothing may change any more.
  await eventually("the computed policy", async () => (await world.rest.get(path)).body.risk ?? undefined);
  return id;
}

async function newProject({ create, newName }: SampleWorld): Promise<string> {
  return (await create("/api/v1/projects", { name: newName() })).id;
}

async function newTeam({ create, newName }: SampleWorld): Promise<string> {
  return (await create("/api/v1/teams", { name: newName() })).id;
}

async function newToken({ create, projectId, newName }: SampleWorld): Promise<string> {
  return (await create("/api/v1/tokens", { name: newName(), scope: "PROJECT", projectId, permissions })).id;
}

async function newFile({ rest, projectId }: SampleWorld): Promise<string> {
  const path = `/api/v1/projects/${projectId}/files`;
  return (await getBody(rest.upload(path, "new.txt", Buffer.from(invoiceText)), 201)).id;
}

/** Uploads a PDF of one page. */
async function newPdf({ rest, projectId }: SampleWorld): Promise<string> {
  const path = `/api/v1/projects/${projectId}/files`;
  const bytes = await sample("invoice-harbour-lane.pdf");
  return (await getBody(rest.upload(path, "new.pdf", bytes), 201)).id;
}

/** Creates a file that is accepted for the receipts. */
async function newAcceptedFile(world: SampleWorld): Promise<string> {
  const { rest, projectId, receipts } = world;
  const path = `/api/v1/projects/${projectId}`;
  const id = await newFile(world);
  const line = JSON.stringify({ fileId: id, deploymentId: receipts, values: { total: 12.5 } });
  await getBody(rest.upload(`${path}/accepted-values:import`, "accepted.jsonl", Buffer.from(line)), 200);
  return id;
}

/** Creates a finished extraction of a file that is not accepted. */
async function newExtraction(world: SampleWorld): Promise<string> {
  const path = `/api/v1/deployments/${world.receipts}/extractions`;
  const { id } = await world.create(path, { fileId: await newFile(world) });
  await finishedExtraction(world.rest, id);
  return id;
}

/** Creates an execution that has ended. */
async function newExecution({ rest, create, projectId, invoices, newName }: SampleWorld): Promise<string> {
  const body = { deploymentId: invoices, name: newName() };
  const { executionId } = await create(`/api/v1/projects/${projectId}/benchmarks`, body);
  await finishedExecution(rest, executionId);
  return executionId;
}

/** Creates a classifier with a route to the receipts. */
async function newClassifier({ create, projectId, receipts, newName }: SampleWorld): Promise<any> {
  return create("/api/v1/classify", { projectId, name: newName(), routes: [{ deploymentId: receipts }] });
}

/** Creates a record of the sample classifier, which is not extracted. */
async function newClassification({ create, classifier }: SampleWorld): Promise<string> {
  return (await create(`/api/v1/classify/${classifier}`, { text: invoiceText, extract: false })).id;
}

/**
 * The sample requests of every public RPC, for all tests that are derived from the contracts. These tests fail if an RPC has no line
 * here.
 */
export const samples: Readonly<Record<string, Sample | readonly Sample[]>> = {
  "IdentityService.GetMe": () => ({}),
  "EngineService.ListEngines": () => ({}),
  "IdentityService.ListProjects": () => ({}),
  "IdentityService.GetProject": ({ projectId }) => ({ path: { projectId } }),
  "IdentityService.CreateProject": ({ newName, team }) => ({ body: { name: newName(), teamIds: [team] } }),
  "IdentityService.UpdateProject": async (world) => ({
    path: { projectId: await newProject(world) },
    body: { name: world.newName() },
  }),
  "IdentityService.DeleteProject": async (world) => ({ path: { projectId: await newProject(world) } }),
  "IdentityService.ListTokens": () => ({}),
  "IdentityService.CreateToken": [
    ({ newName, projectId, user }) => ({
      body: { name: newName(), scope: "PROJECT", projectId, permissions, userId: user },
    }),
    async (world) => ({
      body: { name: world.newName(), scope: "ORGANIZATION", teamIds: [await newTeam(world)], permissions },
    }),
  ],
  "IdentityService.RevokeToken": async (world) => ({ path: { tokenId: await newToken(world) } }),
  "IdentityService.RotateToken": async (world) => ({
    path: { tokenId: await newToken(world) },
    body: { graceSeconds: 5 },
  }),
  "IdentityService.ListTeams": () => ({}),
  "IdentityService.CreateTeam": ({ newName, projectId, user }) => ({
    body: { name: newName(), projectIds: [projectId], userIds: [user] },
  }),
  "IdentityService.UpdateTeam": async (world) => ({
    path: { teamId: await newTeam(world) },
    body: { name: world.newName(), projectIds: [world.projectId], userIds: [world.user] },
  }),
  "IdentityService.DeleteTeam": async (world) => ({ path: { teamId: await newTeam(world) } }),
  "IdentityService.ListUsers": () => ({}),
  "IdentityService.CreateUser": ({ newName }) => ({ body: { name: newName() } }),
  "IdentityService.ListAuditEntries": ({ user, team }) => ({
    query: { actorId: user, targetId: team },
    filters: ["actorId", "targetId"],
  }),
  "ConfigurationService.ListModels": ({ projectId }) => ({ path: { projectId } }),
  "ConfigurationService.CreateModel": ({ projectId, newName }) => ({
    path: { projectId },
    body: { name: newName(), tables, columns },
  }),
  "ConfigurationService.GetConfiguration": [
    ({ invoices }) => ({ path: { deploymentId: invoices } }),
    ({ deployment }) => ({ path: { deploymentId: deployment } }),
    ({ firstSchema }) => ({ path: { deploymentId: firstSchema } }),
  ],
  "ConfigurationService.UpdateConfiguration": async (world) => ({
    path: { deploymentId: await newModel(world) },
    body: { instructions: world.newName() },
  }),
  "ConfigurationService.CreateDeployment": ({ invoices, firstSchema, newName }) => ({
    path: { deploymentId: invoices },
    body: { name: newName(), extractionSchemaId: firstSchema },
  }),
  "ConfigurationService.Pause": async (world) => ({ path: { deploymentId: await newModel(world) } }),
  "ConfigurationService.Resume": async (world) => {
    const deploymentId = await newModel(world);
    await getBody(world.rest.post(`/api/v1/deployments/${deploymentId}:pause`), 200);
    return { path: { deploymentId } };
  },
  "ConfigurationService.UpdateModelOrDeployment": async ({ create, invoices, firstSchema, secondSchema, newName }) => {
    const body = { name: newName(), extractionSchemaId: firstSchema };
    const { id } = await create(`/api/v1/deployments/${invoices}/deployments`, body);
    return { path: { deploymentId: id }, body: { name: newName(), extractionSchemaId: secondSchema } };
  },
  "ConfigurationService.DeleteModelOrDeployment": async (world) => ({ path: { deploymentId: await newModel(world) } }),
  "ConfigurationService.ListConfigurationVersions": ({ invoices }) => ({ path: { deploymentId: invoices } }),
  "ConfigurationService.DiffConfigurations": ({ invoices, firstSchema, secondSchema }) => ({
    path: { deploymentId: invoices },
    query: { from: firstSchema, to: secondSchema },
  }),
  "ConfigurationService.GetProjectSchema": ({ projectId }) => ({ path: { projectId } }),
  "ExtractionService.UploadFile": ({ projectId }) => ({
    path: { projectId },
    file: { filename: "sample.txt", text: invoiceText },
  }),
  "ExtractionService.ListFiles": ({ projectId, invoices }) => ({
    path: { projectId },
    query: { deploymentId: invoices },
  }),
  "ExtractionService.GetFile": ({ file }) => ({ path: { fileId: file } }),
  "ExtractionService.GetFileContent": ({ file }) => ({ path: { fileId: file } }),
  "ExtractionService.GetFileText": ({ file }) => ({ path: { fileId: file } }),
  "ExtractionService.GetPageImage": async (world) => ({
    path: { fileId: await newPdf(world), number: "1" },
    query: { width: "100" },
  }),
  "ExtractionService.DeleteFile": async (world) => ({ path: { fileId: await newAcceptedFile(world) } }),
  "ExtractionService.CreateExtraction": ({ invoices, file }) => ({
    path: { deploymentId: invoices },
    body: { fileId: file },
  }),
  "ExtractionService.GetExtraction": ({ extraction }) => ({ path: { extractionId: extraction } }),
  "ExtractionService.ListExtractions": ({ projectId, file, invoices }) => ({
    path: { projectId },
    query: { fileId: file, deploymentId: invoices },
    filters: ["fileId", "deploymentId"],
  }),
  "ValuesService.ListValues": ({ invoices }) => ({
    path: { deploymentId: invoices },
    query: { table: "invoice", search: "" },
  }),
  "ValuesService.ExportValues": ({ invoices }) => ({
    path: { deploymentId: invoices },
    query: { format: "CSV" },
  }),
  "AcceptedValuesService.SetAcceptedValues": async (world) => ({
    path: { fileId: await newFile(world) },
    body: { deploymentId: world.receipts, tables: [{ slug: "receipt", rows: [{ values: { total: 12.5 } }] }] },
  }),
  "AcceptedValuesService.GetAcceptedValues": ({ file, invoices }) => ({
    path: { fileId: file },
    query: { deploymentId: invoices },
  }),
  "AcceptedValuesService.DeleteAcceptedValues": async (world) => ({
    path: { fileId: await newAcceptedFile(world) },
    query: { deploymentId: world.receipts },
  }),
  "AcceptedValuesService.AcceptExtraction": async (world) => ({
    path: { extractionId: await newExtraction(world) },
    body: { corrections: [{ table: "receipt", row: 0, column: "total", value: 12.5 }] },
  }),
  "AcceptedValuesService.ImportAcceptedValues": async (world) => ({
    path: { projectId: world.projectId },
    body: { deploymentId: world.receipts },
    file: {
      filename: "accepted.jsonl",
      text: JSON.stringify({ fileId: await newFile(world), values: { total: 12.5 } }),
    },
  }),
  "JobService.ExtractAll": ({ invoices, file, firstSchema }) => ({
    path: { deploymentId: invoices },
    body: { fileIds: [file], extractionSchemaId: firstSchema },
  }),
  "JobService.GetJob": ({ job }) => ({ path: { jobId: job } }),
  "JobService.CancelJob": ({ job }) => ({ path: { jobId: job } }),
  "BenchmarkService.ListExecutions": ({ projectId }) => ({ path: { projectId } }),
  "BenchmarkService.CreateExecution": ({ projectId, invoices, firstSchema, file, newName }) => ({
    path: { projectId },
    body: { deploymentId: invoices, extractionSchemaId: firstSchema, name: newName(), fileIds: [file] },
  }),
  "BenchmarkService.GetExecution": ({ execution }) => ({ path: { executionId: execution } }),
  "BenchmarkService.GetMetrics": ({ execution }) => ({ path: { executionId: execution } }),
  "BenchmarkService.ListFileResults": ({ execution }) => ({ path: { executionId: execution } }),
  "BenchmarkService.GetFileResult": ({ execution, file }) => ({ path: { executionId: execution, fileId: file } }),
  "BenchmarkService.CompareExecutions": ({ execution }) => ({
    path: { executionId: execution },
    query: { baseline: execution },
  }),
  "BenchmarkService.GateExecution": ({ execution }) => ({
    path: { executionId: execution },
    body: { baseline: execution, rules: [{ metric: "compare.successRate.delta", operator: ">=", value: -0.01 }] },
  }),
  "BenchmarkService.CancelExecution": ({ execution }) => ({ path: { executionId: execution } }),
  "BenchmarkService.DeleteExecution": async (world) => ({ path: { executionId: await newExecution(world) } }),
  "EventService.WatchProjectEvents": ({ projectId }) => ({ path: { projectId } }),
  "BenchmarkService.WatchExecution": ({ execution }) => ({ path: { executionId: execution } }),
  "RiskService.GetRisk": ({ invoices }) => ({
    path: { deploymentId: invoices },
    query: { error: "0.05", confidence: "0.9" },
  }),
  "RiskService.SetReviewPolicy": async (world) => ({
    path: { deploymentId: await newModel(world) },
    body: { error: 0.05, confidence: 0.9 },
  }),
  "RiskService.GetReviewPolicy": async (world) => ({ path: { deploymentId: await newModelWithPolicy(world) } }),
  "RiskService.DeleteReviewPolicy": async (world) => ({ path: { deploymentId: await newModelWithPolicy(world) } }),
  "ClassifierService.CreateClassifier": ({ projectId, newName, invoices, deployment }) => ({
    body: { projectId, name: newName(), routes: [{ deploymentId: invoices, targetDeploymentId: deployment }] },
  }),
  "ClassifierService.ListClassifiers": ({ projectId }) => ({ query: { projectId } }),
  "ClassifierService.GetClassifier": ({ classifier }) => ({ path: { classifierId: classifier } }),
  "ClassifierService.GetQuality": ({ classifier }) => ({
    path: { classifierId: classifier },
    query: { precision: "0.95", replay: "true" },
  }),
  "ClassifierService.UpdateClassifier": async (world) => ({
    path: { classifierId: (await newClassifier(world)).id },
    body: { name: world.newName(), description: "Another", settings: { minConfidence: 0.5 } },
  }),
  "ClassifierService.DeleteClassifier": async (world) => ({ path: { classifierId: (await newClassifier(world)).id } }),
  "ClassifierService.MakeProjectScoped": async (world) => {
    const { id } = await newClassifier(world);
    await getBody(world.rest.post(`/api/v1/classify/${id}:makeGlobal`), 200);
    return { path: { classifierId: id } };
  },
  "ClassifierService.MakeGlobal": async (world) => ({ path: { classifierId: (await newClassifier(world)).id } }),
  "ClassifierService.AddRoute": async (world) => ({
    path: { classifierId: (await newClassifier(world)).id },
    body: { deploymentId: world.invoices, targetDeploymentId: world.deployment, examples: ["Amount due"] },
  }),
  "ClassifierService.ListRoutes": ({ classifier }) => ({ path: { classifierId: classifier } }),
  "ClassifierService.GetRoute": ({ classifier, route }) => ({ path: { classifierId: classifier, routeId: route } }),
  "ClassifierService.UpdateRoute": async ({ create, projectId, invoices, deployment, newName }) => {
    const request = { projectId, name: newName(), routes: [{ deploymentId: invoices }] };
    const { id, deploymentRoutes } = await create("/api/v1/classify", request);
    return {
      path: { classifierId: id, routeId: deploymentRoutes[0].id },
      body: { name: newName(), targetDeploymentId: deployment, examples: ["Amount due"] },
    };
  },
  "ClassifierService.DeleteRoute": async (world) => {
    const { id, deploymentRoutes } = await newClassifier(world);
    return { path: { classifierId: id, routeId: deploymentRoutes[0].id } };
  },
  "ClassifierService.ListTargetRoutes": [
    ({ invoices }) => ({ path: { deploymentId: invoices } }),
    ({ deployment }) => ({ path: { deploymentId: deployment } }),
    ({ firstSchema }) => ({ path: { deploymentId: firstSchema } }),
  ],
  "ClassifierService.Classify": [
    ({ classifier, file }) => ({ path: { classifierId: classifier }, body: { fileId: file, extract: false } }),
    ({ classifier }) => ({ path: { classifierId: classifier }, body: { text: invoiceText, externalId: "sample" } }),
    ({ classifier }) => ({
      path: { classifierId: classifier },
      file: { filename: "sample.txt", text: invoiceText },
      body: { extract: "false" },
    }),
  ],
  "ClassifierService.Reclassify": ({ classifier, classification }) => ({
    path: { classifierId: classifier, classificationId: classification },
    body: { extract: false, explain: true },
  }),
  "ClassifierService.BatchClassify": ({ classifier, file }) => ({
    path: { classifierId: classifier },
    body: {
      items: [{ fileId: file, extract: false }, { text: invoiceText, externalId: "sample" }, { fileId: "none" }],
    },
  }),
  "ReviewService.ReviewClassification": async (world) => ({
    path: { classifierId: world.classifier, classificationId: await newClassification(world) },
    body: { routeId: world.route, extract: false },
  }),
  "ReviewService.DeleteReview": async (world) => {
    const classificationId = await newClassification(world);
    const path = `/api/v1/classify/${world.classifier}/classifications/${classificationId}:review`;
    await getBody(world.rest.post(path, { routeId: world.route }), 200);
    return { path: { classifierId: world.classifier, classificationId } };
  },
  "ReviewService.ListReview": ({ projectId }) => ({ path: { projectId } }),
  "ClassifierService.ListClassifications": ({ classifier, route }) => ({
    path: { classifierId: classifier },
    query: { routeId: route },
    filters: ["routeId"],
  }),
  "ClassifierService.ListProjectClassifications": ({ projectId, classifier }) => ({
    path: { projectId },
    query: { classifierId: classifier, from: "2026-01-31T12:00:00Z" },
    filters: ["classifierId"],
  }),
  "ClassifierService.GetClassification": ({ classifier, classification }) => ({
    path: { classifierId: classifier, classificationId: classification },
  }),
  "ClassifierService.GetExplanation": ({ classifier, classification }) => ({
    path: { classifierId: classifier, classificationId: classification },
  }),
};

/** Returns the samples of an RPC. Throws if there are none. */
export function getSamples(route: Route): readonly Sample[] {
  const found = samples[getName(route)];
  if (found === undefined) {
    throw new Error(`${getName(route)} has no sample request: add one in test/specification/testing/samples.ts`);
  }
  return typeof found === "function" ? [found] : found;
}
