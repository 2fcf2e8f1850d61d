import type {
  ListAuditEntriesRequest,
  ListExtractionsRequest,
  ListProjectClassificationsRequest,
  ListReviewRequest,
  ListValuesRequest,
} from "@switchyard/client";

/** The number of classifiers that are requested before anyone asks for more, and that are rendered at once. */
export const classifierPage = 50;

type Filters<Request> = Omit<Request, "projectId" | "limit" | "pageToken">;

/**
 * The requests that are made when someone points to the link of a page: the call, and what it sends. The page itself makes them with the same
 * definition, because a request that differs would be made twice.
 */
export const firstRequests = {
  review: (projectId: string, filters: Filters<ListReviewRequest> = {}) =>
    ["listReview", { projectId, ...filters }] as const,
  classifications: (projectId: string, filters: Filters<ListProjectClassificationsRequest> = {}) =>
    ["listProjectClassifications", { projectId, ...filters }] as const,
  extractions: (projectId: string, filters: Filters<ListExtractionsRequest> = {}) =>
    ["listExtractions", { projectId, ...filters }] as const,
  classifiers: (projectId: string) => ["listClassifiers", { projectId, limit: classifierPage }] as const,
  classifier: (classifierId: string) => ["getClassifier", { classifierId }] as const,
  routes: (classifierId: string) => ["listRoutes", { classifierId }] as const,
  engines: () => ["listEngines", {}] as const,
  quality: (classifierId: string, replay: boolean, precision?: number) =>
    ["getQuality", { classifierId, replay, precision }] as const,
  models: (projectId: string) => ["listModels", { projectId }] as const,
  configuration: (deploymentId: string) => ["getConfiguration", { deploymentId }] as const,
  versions: (deploymentId: string) => ["listConfigurationVersions", { deploymentId, limit: 500 }] as const,
  values: (selection: Omit<ListValuesRequest, "limit" | "pageToken">) => ["listValues", selection] as const,
  valuesToReview: (selection: Omit<ListValuesRequest, "limit" | "pageToken">) =>
    ["listValues", { ...selection, status: "NEEDS_REVIEW" }] as const,
  runs: (projectId: string) => ["listExecutions", { projectId }] as const,
  run: (executionId: string) => ["getExecution", { executionId }] as const,
  metrics: (executionId: string) => ["getMetrics", { executionId }] as const,
  fileResults: (executionId: string) => ["listFileResults", { executionId }] as const,
  fileResult: (executionId: string, fileId: string) => ["getFileResult", { executionId, fileId }] as const,
  file: (fileId: string) => ["getFile", { fileId }] as const,
  fileText: (fileId: string) => ["getFileText", { fileId }] as const,
  tokens: () => ["listTokens", {}] as const,
  audit: (filters: Filters<ListAuditEntriesRequest> = {}) => ["listAuditEntries", filters] as const,
};
