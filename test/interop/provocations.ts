import type { ProblemReason } from "@switchyard/contracts/reasons";
import { finishedExtraction } from "../journeys/fixture.ts";
import { finishedExecution } from "../specification/testing/benchmarks.ts";
import type { SampleRequest } from "../specification/testing/rpcs.ts";
import { getBody } from "../specification/testing/office.ts";
import type { SampleWorld } from "../specification/testing/sample-world.ts";
import type { Callers } from "./callers.ts";

/** A call that fails with a reason. */
export interface Provocation {
  /** The name of the RPC, as "ClassifierService.AddRoute". */
  readonly rpc: string;
  request(world: SampleWorld, callers: Callers): SampleRequest | Promise<SampleRequest>;
  /** The secret of the caller; that of the world by default. */
  secret?(callers: Callers): string | undefined;
  /** The idempotency key. The call is made once before, with another request if `earlier` returns one. */
  readonly key?: string;
  earlier?(world: SampleWorld): SampleRequest;
}

const none = "none";
const token = (name: string) => ({ name, scope: "PROJECT", permissions: ["classify"] });

/** A call for each reason that any client can cause. */
export const provocations: Readonly<Partial<Record<ProblemReason, Provocation>>> = {
  ACCEPTED_VALUES_NOT_FOUND: {
    rpc: "AcceptedValuesService.GetAcceptedValues",
    request: ({ file, receipts }) => ({ path: { fileId: file }, query: { deploymentId: receipts } }),
  },
  CLASSIFICATION_NOT_FOUND: {
    rpc: "ClassifierService.GetClassification",
    request: ({ classifier }) => ({ path: { classifierId: classifier, classificationId: none } }),
  },
  CLASSIFICATION_OUT_OF_REACH: {
    rpc: "ClassifierService.GetClassification",
    request: (_, { wide }) => ({ path: { classifierId: wide.classifier, classificationId: wide.classification } }),
    secret: ({ elsewhere }) => elsewhere,
  },
  CLASSIFIER_HAS_NO_ROUTES: {
    rpc: "ClassifierService.MakeProjectScoped",
    request: (_, { empty }) => ({ path: { classifierId: empty } }),
  },
  CLASSIFIER_NAME_TAKEN: {
    rpc: "ClassifierService.CreateClassifier",
    request: ({ projectId }) => ({ body: { projectId, name: "sample INBOX" } }),
  },
  CLASSIFIER_NOT_FOUND: {
    rpc: "ClassifierService.ListRoutes",
    request: () => ({ path: { classifierId: none } }),
  },
  CLASSIFIER_OUT_OF_REACH: {
    rpc: "ClassifierService.GetClassifier",
    request: ({ classifier }) => ({ path: { classifierId: classifier } }),
    secret: ({ elsewhere }) => elsewhere,
  },
  DEPLOYMENT_NOT_FOUND: {
    rpc: "BenchmarkService.CreateExecution",
    request: ({ projectId, deployment }) => ({ path: { projectId }, body: { deploymentId: deployment, name: "Run" } }),
  },
  DEPLOYMENT_OF_ANOTHER_MODEL: {
    rpc: "ClassifierService.AddRoute",
    request: ({ classifier, receipts, deployment }) => ({
      path: { classifierId: classifier },
      body: { deploymentId: receipts, targetDeploymentId: deployment },
    }),
  },
  EMPTY_FILE: {
    rpc: "ClassifierService.Classify",
    request: ({ classifier }) => ({ path: { classifierId: classifier }, body: { text: "" } }),
  },
  ENDPOINT_REMOVED: {
    rpc: "ConfigurationService.GetProjectSchema",
    request: ({ projectId }) => ({ path: { projectId } }),
  },
  EXECUTION_NOT_FOUND: {
    rpc: "BenchmarkService.GetMetrics",
    request: () => ({ path: { executionId: none } }),
  },
  EXTRACTION_NOT_COMPLETED: {
    rpc: "AcceptedValuesService.AcceptExtraction",
    request: async ({ rest, create, projectId, invoices }) => {
      const path = `/api/v1/projects/${projectId}/files`;
      const { id } = await getBody(rest.upload(path, "broken.pdf", Buffer.from("%PDF-1.7 broken")), 201);
      const { id: extractionId } = await create(`/api/v1/deployments/${invoices}/extractions`, { fileId: id });
      await finishedExtraction(rest, extractionId);
      return { path: { extractionId } };
    },
  },
  EXTRACTION_NOT_FOUND: {
    rpc: "ExtractionService.GetExtraction",
    request: () => ({ path: { extractionId: none } }),
  },
  JOB_NOT_FOUND: {
    rpc: "JobService.GetJob",
    request: () => ({ path: { jobId: none } }),
  },
  FILE_NOT_ACCEPTED: {
    rpc: "BenchmarkService.CreateExecution",
    request: ({ projectId, receipts, file }) => ({
      path: { projectId },
      body: { deploymentId: receipts, name: "Run", fileIds: [file] },
    }),
  },
  FILE_NOT_FOUND: {
    // The first message of a response stream is an error.
    rpc: "ExtractionService.GetFileContent",
    request: () => ({ path: { fileId: none } }),
  },
  PAGE_NOT_FOUND: {
    rpc: "ExtractionService.GetPageImage",
    request: ({ file }) => ({ path: { fileId: file, number: "0" } }),
  },
  UNSUPPORTED_FORMAT: {
    rpc: "ExtractionService.GetPageImage",
    request: ({ file }) => ({ path: { fileId: file, number: "1" } }),
  },
  FILE_OF_OTHER_PROJECT: {
    rpc: "ExtractionService.CreateExtraction",
    request: ({ file }, { wide }) => ({ path: { deploymentId: wide.model }, body: { fileId: file } }),
  },
  GLOBAL_CLASSIFIER: {
    rpc: "ClassifierService.AddRoute",
    request: ({ receipts }, { wide }) => ({
      path: { classifierId: wide.classifier },
      body: { deploymentId: receipts },
    }),
    secret: ({ ofProject }) => ofProject,
  },
  FILE_GONE: {
    rpc: "ClassifierService.Reclassify",
    request: async ({ rest, create, classifier }) => {
      const { id, fileId } = await create(`/api/v1/classify/${classifier}`, { text: "Deleted", extract: false });
      await rest.send(`/api/v1/files/${fileId}`, { method: "DELETE" });
      return { path: { classifierId: classifier, classificationId: id } };
    },
  },
  REVIEW_NOT_FOUND: {
    rpc: "ReviewService.DeleteReview",
    request: ({ classifier, classification }) => ({
      path: { classifierId: classifier, classificationId: classification },
    }),
  },
  HAS_DEPLOYMENTS: {
    rpc: "ConfigurationService.DeleteModelOrDeployment",
    request: ({ invoices }) => ({ path: { deploymentId: invoices } }),
  },
  IDEMPOTENCY_KEY_REUSED: {
    rpc: "IdentityService.CreateTeam",
    request: () => ({ body: { name: "Another" } }),
    key: "parity of a reused key",
    earlier: () => ({ body: { name: "One" } }),
  },
  INVALID_REQUEST: {
    rpc: "ClassifierService.CreateClassifier",
    request: () => ({ body: { routes: [{}, { minConfidence: 2, examples: [" "] }], settings: { pages: 0 } } }),
  },
  LAST_ADMINISTRATOR: {
    rpc: "IdentityService.RevokeToken",
    request: async ({ rest }) => ({ path: { tokenId: (await getBody(rest.get("/api/v1/me"), 200)).token.id } }),
  },
  MISSING_PERMISSION: {
    rpc: "IdentityService.ListUsers",
    request: () => ({}),
    secret: ({ elsewhere }) => elsewhere,
  },
  MODEL_HAS_NO_SCHEMA: {
    rpc: "ClassifierService.AddRoute",
    request: ({ classifier }, { bare }) => ({ path: { classifierId: classifier }, body: { deploymentId: bare } }),
  },
  MODEL_NOT_FOUND: {
    rpc: "ClassifierService.AddRoute",
    request: ({ classifier }) => ({ path: { classifierId: classifier }, body: { deploymentId: none } }),
  },
  MODEL_OF_ANOTHER_PROJECT: {
    rpc: "ClassifierService.AddRoute",
    request: ({ classifier }, { wide }) => ({
      path: { classifierId: classifier },
      body: { deploymentId: wide.model },
    }),
  },
  MODEL_OF_OTHER_PROJECT: {
    rpc: "AcceptedValuesService.SetAcceptedValues",
    request: ({ file }, { wide }) => ({ path: { fileId: file }, body: { deploymentId: wide.model, tables: [] } }),
  },
  REVIEW_POLICY_NOT_FOUND: {
    rpc: "RiskService.GetReviewPolicy",
    request: ({ receipts }) => ({ path: { deploymentId: receipts } }),
  },
  NAME_TAKEN: {
    rpc: "ConfigurationService.CreateModel",
    request: ({ projectId }) => ({ path: { projectId }, body: { name: "INVOICES" } }),
  },
  NOTHING_TO_COMPARE: {
    rpc: "BenchmarkService.CompareExecutions",
    request: async ({ rest, create, projectId, invoices, execution }) => {
      const project = `/api/v1/projects/${projectId}`;
      const { id } = await getBody(rest.upload(`${project}/files`, "other.txt", Buffer.from("Total 7.50")), 201);
      const line = JSON.stringify({ fileId: id, deploymentId: invoices, values: { total: 7.5 } });
      await getBody(rest.upload(`${project}/accepted-values:import`, "accepted.jsonl", Buffer.from(line)), 200);
      const run = { deploymentId: invoices, name: "Another file", fileIds: [id] };
      const { executionId } = await create(`${project}/benchmarks`, run);
      await finishedExecution(rest, executionId);
      return { path: { executionId }, query: { baseline: execution } };
    },
  },
  NO_ACCEPTED_FILES: {
    rpc: "BenchmarkService.CreateExecution",
    request: (_, { wide }) => ({
      path: { projectId: wide.projectId },
      body: { deploymentId: wide.model, name: "Run" },
    }),
  },
  PAYLOAD_TOO_LARGE: {
    rpc: "ClassifierService.Classify",
    request: ({ classifier }) => ({ path: { classifierId: classifier }, body: { text: "x".repeat(1024 * 1024 + 1) } }),
  },
  PERMISSION_NOT_HELD: {
    rpc: "IdentityService.CreateToken",
    request: ({ projectId }) => ({ body: { ...token("More"), projectId, permissions: ["benchmarks:run"] } }),
    secret: ({ ofProject }) => ofProject,
  },
  PROJECT_NOT_FOUND: {
    rpc: "BenchmarkService.ListExecutions",
    request: () => ({ path: { projectId: none } }),
  },
  PROJECT_OUT_OF_REACH: {
    rpc: "ConfigurationService.ListModels",
    request: ({ projectId }) => ({ path: { projectId } }),
    secret: ({ elsewhere }) => elsewhere,
  },
  RESULT_NOT_FOUND: {
    rpc: "BenchmarkService.GetFileResult",
    request: ({ execution }) => ({ path: { executionId: execution, fileId: none } }),
  },
  ROUTES_SPAN_PROJECTS: {
    rpc: "ClassifierService.MakeProjectScoped",
    request: (_, { wide }) => ({ path: { classifierId: wide.classifier } }),
  },
  ROUTE_EXISTS: {
    rpc: "ClassifierService.AddRoute",
    request: ({ classifier, receipts }) => ({ path: { classifierId: classifier }, body: { deploymentId: receipts } }),
  },
  ROUTE_NOT_FOUND: {
    rpc: "ClassifierService.GetRoute",
    request: ({ classifier }) => ({ path: { classifierId: classifier, routeId: none } }),
  },
  SCHEMA_NOT_FOUND: {
    rpc: "ConfigurationService.CreateDeployment",
    request: ({ invoices }) => ({ path: { deploymentId: invoices }, body: { name: "Next", extractionSchemaId: none } }),
  },
  SCHEMA_OF_ANOTHER_MODEL: {
    rpc: "ConfigurationService.CreateDeployment",
    request: ({ receipts, firstSchema }) => ({
      path: { deploymentId: receipts },
      body: { name: "Next", extractionSchemaId: firstSchema },
    }),
  },
  SCOPE_NOT_HELD: {
    rpc: "IdentityService.CreateToken",
    request: ({ team }) => ({
      body: { name: "Wide", scope: "ORGANIZATION", teamIds: [team], permissions: ["classify"] },
    }),
    secret: ({ ofProject }) => ofProject,
  },
  SECRET_ALREADY_ISSUED: {
    rpc: "IdentityService.CreateToken",
    request: ({ projectId }) => ({ body: { ...token("Secret"), projectId } }),
    key: "parity of a secret",
  },
  TEAM_NOT_FOUND: {
    rpc: "IdentityService.DeleteTeam",
    request: () => ({ path: { teamId: none } }),
  },
  TEAM_OUT_OF_REACH: {
    rpc: "IdentityService.CreateToken",
    request: (_, { everywhere }) => ({
      body: { name: "Wide", scope: "ORGANIZATION", teamIds: [everywhere], permissions: ["tokens:admin"] },
    }),
    secret: ({ elsewhere }) => elsewhere,
  },
  TOKEN_INVALID: { rpc: "IdentityService.GetMe", request: () => ({}), secret: () => "swo_none" },
  TOKEN_MISSING: { rpc: "IdentityService.GetMe", request: () => ({}), secret: () => undefined },
  TOKEN_NOT_ACTIVE: {
    rpc: "IdentityService.RotateToken",
    request: (_, { revoked }) => ({ path: { tokenId: revoked }, body: { graceSeconds: 0 } }),
  },
  TOKEN_NOT_FOUND: {
    rpc: "IdentityService.RevokeToken",
    request: () => ({ path: { tokenId: none } }),
  },
  TOKEN_OUT_OF_REACH: {
    rpc: "IdentityService.RevokeToken",
    request: (_, { ofEverywhere }) => ({ path: { tokenId: ofEverywhere } }),
    secret: ({ elsewhere }) => elsewhere,
  },
  TOO_MANY_SECRETS: {
    rpc: "IdentityService.RotateToken",
    request: (_, { rotated }) => ({ path: { tokenId: rotated }, body: { graceSeconds: 60 } }),
  },
  USER_NOT_FOUND: {
    rpc: "IdentityService.CreateTeam",
    request: () => ({ body: { name: "Nobody", userIds: [none] } }),
  },
  USER_OUT_OF_REACH: {
    rpc: "IdentityService.CreateToken",
    request: ({ user, projectId }) => ({ body: { ...token("For another"), projectId, userId: user } }),
    secret: ({ ofProject }) => ofProject,
  },
};
