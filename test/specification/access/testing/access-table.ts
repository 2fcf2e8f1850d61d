/**
 * Who may do what, according to section 5 of the specification and the tables of the API. It is written from these texts alone and shares
 * no code with the product. The access matrix compares the running system with it.
 */

/** The projects of the organization under test. */
export const projects = ["owner", "route", "target", "other"] as const;
export type ProjectKey = (typeof projects)[number];

/** The properties of a token that access depends on. */
export interface CallerFacts {
  readonly scope: "ORGANIZATION" | "PROJECT";
  /** The projects that its teams have access to, or its one project. */
  readonly reach: readonly ProjectKey[];
  readonly permissions: readonly string[];
}

/** The properties of a classifier that access depends on. `home` is the owning project, or null for a global classifier. */
export interface ClassifierFacts {
  readonly organization: "own" | "another";
  readonly home: ProjectKey | null;
  readonly routes: readonly ProjectKey[];
}

/** What a method of a classifier requires. */
interface ClassifierRule {
  readonly permission: string;
  /** For a global classifier. use: section 5's table. see: callers who may use or administer it. change: the organization-level right. */
  readonly global: "use" | "see" | "change";
}

/** The last columns of api.md 1, 2 and 3. A project classifier requires access to its project, and nothing else. */
export const classifierRules: Readonly<Record<string, ClassifierRule>> = {
  GetClassifier: { permission: "models:read", global: "see" },
  GetQuality: { permission: "benchmarks:read", global: "see" },
  UpdateClassifier: { permission: "models:edit", global: "change" },
  DeleteClassifier: { permission: "models:edit", global: "change" },
  MakeGlobal: { permission: "organization:models:edit", global: "change" },
  MakeProjectScoped: { permission: "organization:models:edit", global: "change" },
  AddRoute: { permission: "models:edit", global: "change" },
  ListRoutes: { permission: "models:read", global: "see" },
  GetRoute: { permission: "models:read", global: "see" },
  UpdateRoute: { permission: "models:edit", global: "change" },
  DeleteRoute: { permission: "models:edit", global: "change" },
  Classify: { permission: "classify", global: "use" },
  BatchClassify: { permission: "classify", global: "use" },
  ListClassifications: { permission: "documents:read", global: "see" },
};

/** Returns whether a token has a permission. Only organization:models:edit implies another one, models:edit. */
export function holds({ permissions }: CallerFacts, permission: string): boolean {
  if (permission === "none" || permissions.includes(permission)) return true;
  return permission === "models:edit" && permissions.includes("organization:models:edit");
}

const editsOrganization = (caller: CallerFacts): boolean =>
  caller.scope === "ORGANIZATION" && holds(caller, "organization:models:edit");

/** Returns whether a caller may use a classifier, by the table of section 5. */
export function usable({ reach }: CallerFacts, { organization, home, routes }: ClassifierFacts): boolean {
  if (organization === "another") return false;
  return home === null ? routes.some((project) => reach.includes(project)) : reach.includes(home);
}

/** Returns the status of a method on a classifier. `success` is its status without an error. */
export function getExpectedClassifierStatus(
  caller: CallerFacts,
  method: string,
  classifier: ClassifierFacts,
  success: number,
  /** The project of a new route's model, or "another organization". */
  target?: ProjectKey | "another organization",
): number {
  const rule = classifierRules[method];
  if (rule === undefined) throw new Error(`${method} has no line in test/specification/access/testing/access-table.ts`);
  if (!holds(caller, rule.permission)) return 403;
  if (classifier.organization === "another") return 404;
  const { home, routes } = classifier;
  if (home !== null && !caller.reach.includes(home)) return 403;
  if (home === null) {
    const changes = editsOrganization(caller);
    const allowed = { use: usable(caller, classifier), see: changes || usable(caller, classifier), change: changes };
    if (!allowed[rule.global]) return 403;
  }
  if (method === "MakeProjectScoped" && home === null) {
    const [only, ...more] = new Set(routes);
    if (only === undefined || more.length > 0) return 400;
    if (!caller.reach.includes(only)) return 403;
  }
  if (target !== undefined) {
    if (target === "another organization") return 404;
    if (home !== null && target !== home) return 400;
    if (home === null && !caller.reach.includes(target)) return 403;
  }
  return success;
}

/** Returns the status of reading a classification: its creator, access to its project or the organization-level right allow it. */
export function getExpectedRecordStatus(
  caller: CallerFacts,
  record: { organization: "own" | "another"; landed: ProjectKey | null; isOwn: boolean },
): number {
  if (!holds(caller, "documents:read")) return 403;
  if (record.organization === "another") return 404;
  const reached = record.landed !== null && caller.reach.includes(record.landed);
  return record.isOwn || reached || editsOrganization(caller) ? 200 : 403;
}

/** What a method of another resource requires. */
interface PlaceRule {
  readonly permission: string;
  /**
   * project: access to the project of the resource. new project: access to a project that was just created, which only the team of
   * everybody has. organization: the resource must belong to the organization. nothing: the request names no resource, or only filters.
   */
  readonly reach:
    | "project"
    | "new project"
    | "project or organization:admin"
    | "project or organization:models:edit"
    | "organization"
    | "nothing";
  /** The scope of token that is required. Like a permission, it is checked before the resource. */
  readonly scope?: CallerFacts["scope"];
  /** An additional requirement, described by the comment above its line. */
  readonly besides?: (caller: CallerFacts) => boolean;
}

/** The last columns of api.md 1 (by project), 4, 5, 6 and 7. A line with a number applies to that sample of the method only. */
export const placeRules: Readonly<Record<string, PlaceRule>> = {
  "EngineService.ListEngines": { permission: "models:read", reach: "nothing" },
  "IdentityService.GetMe": { permission: "none", reach: "nothing" },
  "IdentityService.ListProjects": { permission: "none", reach: "nothing" },
  "IdentityService.GetProject": { permission: "none", reach: "project" },
  "IdentityService.CreateProject": { permission: "organization:admin", reach: "organization" },
  "IdentityService.UpdateProject": { permission: "organization:admin", reach: "new project" },
  "IdentityService.DeleteProject": { permission: "organization:admin", reach: "new project" },
  "IdentityService.ListTokens": { permission: "tokens:admin", reach: "nothing" },
  // Issued to another user, which requires organization:admin.
  "IdentityService.CreateToken": {
    permission: "tokens:admin",
    reach: "project",
    besides: (caller) => holds(caller, "organization:admin"),
  },
  // An organization token with a team without projects.
  "IdentityService.CreateToken 1": {
    permission: "tokens:admin",
    reach: "organization",
    scope: "ORGANIZATION",
  },
  // For a project token: access to its project, or organization:admin.
  "IdentityService.RevokeToken": { permission: "tokens:admin", reach: "project or organization:admin" },
  "IdentityService.RotateToken": { permission: "tokens:admin", reach: "project" },
  "IdentityService.ListTeams": { permission: "organization:admin", reach: "nothing" },
  "IdentityService.CreateTeam": { permission: "organization:admin", reach: "organization" },
  "IdentityService.UpdateTeam": { permission: "organization:admin", reach: "organization" },
  "IdentityService.DeleteTeam": { permission: "organization:admin", reach: "organization" },
  "IdentityService.ListUsers": { permission: "organization:admin", reach: "nothing" },
  "IdentityService.CreateUser": { permission: "organization:admin", reach: "nothing" },
  "IdentityService.ListAuditEntries": { permission: "organization:admin", reach: "nothing" },
  "ConfigurationService.ListModels": { permission: "models:read", reach: "project" },
  "ConfigurationService.CreateModel": { permission: "models:edit", reach: "project" },
  "ConfigurationService.GetConfiguration": { permission: "models:read", reach: "project" },
  "ConfigurationService.UpdateConfiguration": { permission: "models:edit", reach: "project" },
  "ConfigurationService.CreateDeployment": { permission: "models:edit", reach: "project" },
  "ConfigurationService.Pause": { permission: "models:edit", reach: "project" },
  "ConfigurationService.Resume": { permission: "models:edit", reach: "project" },
  "ConfigurationService.UpdateModelOrDeployment": { permission: "models:edit", reach: "project" },
  "ConfigurationService.DeleteModelOrDeployment": { permission: "models:edit", reach: "project" },
  "ConfigurationService.ListConfigurationVersions": { permission: "models:read", reach: "project" },
  "ConfigurationService.DiffConfigurations": { permission: "models:read", reach: "project" },
  "ConfigurationService.GetProjectSchema": { permission: "none", reach: "nothing" },
  "ExtractionService.UploadFile": { permission: "documents:write", reach: "project" },
  "ExtractionService.ListFiles": { permission: "documents:read", reach: "project" },
  "ExtractionService.GetFile": { permission: "documents:read", reach: "project" },
  "ExtractionService.GetFileContent": { permission: "documents:read", reach: "project" },
  "ExtractionService.GetFileText": { permission: "documents:read", reach: "project" },
  "ExtractionService.GetPageImage": { permission: "documents:read", reach: "project" },
  "ExtractionService.CreateExtraction": { permission: "documents:write", reach: "project" },
  "ExtractionService.GetExtraction": { permission: "documents:read", reach: "project" },
  "ExtractionService.ListExtractions": { permission: "documents:read", reach: "project" },
  "ExtractionService.DeleteFile": { permission: "documents:write", reach: "project" },
  "ValuesService.ListValues": { permission: "documents:read", reach: "project" },
  "ValuesService.ExportValues": { permission: "documents:read", reach: "project" },
  "AcceptedValuesService.SetAcceptedValues": { permission: "documents:write", reach: "project" },
  "AcceptedValuesService.GetAcceptedValues": { permission: "documents:write", reach: "project" },
  "AcceptedValuesService.DeleteAcceptedValues": { permission: "documents:write", reach: "project" },
  "AcceptedValuesService.AcceptExtraction": { permission: "documents:write", reach: "project" },
  "AcceptedValuesService.ImportAcceptedValues": { permission: "documents:write", reach: "project" },
  "JobService.ExtractAll": { permission: "documents:write", reach: "project" },
  "JobService.GetJob": { permission: "documents:read", reach: "project" },
  "JobService.CancelJob": { permission: "documents:write", reach: "project" },
  "BenchmarkService.ListExecutions": { permission: "benchmarks:read", reach: "project" },
  "BenchmarkService.GetExecution": { permission: "benchmarks:read", reach: "project" },
  "BenchmarkService.GetMetrics": { permission: "benchmarks:read", reach: "project" },
  "BenchmarkService.ListFileResults": { permission: "benchmarks:read", reach: "project" },
  "BenchmarkService.GetFileResult": { permission: "benchmarks:read", reach: "project" },
  "BenchmarkService.CompareExecutions": { permission: "benchmarks:read", reach: "project" },
  "BenchmarkService.GateExecution": { permission: "benchmarks:read", reach: "project" },
  "EventService.WatchProjectEvents": { permission: "documents:read", reach: "project" },
  "BenchmarkService.WatchExecution": { permission: "benchmarks:read", reach: "project" },
  "BenchmarkService.CreateExecution": { permission: "benchmarks:run", reach: "project" },
  "BenchmarkService.CancelExecution": { permission: "benchmarks:run", reach: "project" },
  "BenchmarkService.DeleteExecution": { permission: "benchmarks:run", reach: "project" },
  "RiskService.GetRisk": { permission: "benchmarks:read", reach: "project" },
  "RiskService.SetReviewPolicy": { permission: "models:edit", reach: "project" },
  "RiskService.GetReviewPolicy": { permission: "models:read", reach: "project" },
  "RiskService.DeleteReviewPolicy": { permission: "models:edit", reach: "project" },
  "ClassifierService.CreateClassifier": { permission: "models:edit", reach: "project" },
  "ClassifierService.ListClassifiers": { permission: "models:read", reach: "project" },
  "ClassifierService.Reclassify": { permission: "classify", reach: "project" },
  "ClassifierService.GetExplanation": { permission: "documents:read", reach: "project" },
  "ReviewService.ReviewClassification": { permission: "documents:write", reach: "project" },
  // Whoever may read the record.
  "ReviewService.DeleteReview": { permission: "documents:write", reach: "project or organization:models:edit" },
  "ReviewService.ListReview": { permission: "documents:read", reach: "project" },
  "ClassifierService.ListProjectClassifications": { permission: "documents:read", reach: "project" },
  "ClassifierService.ListTargetRoutes": { permission: "models:read", reach: "project" },
};

/** Returns the line of a sample request of a method; undefined if there is none. */
export function findPlaceRule(name: string, sample: number): PlaceRule | undefined {
  return placeRules[`${name} ${sample}`] ?? placeRules[name];
}

/** Returns the status of a method on a resource of a project, or of another organization if `project` is null. */
export function getExpectedPlaceStatus(
  caller: CallerFacts,
  rule: PlaceRule,
  project: ProjectKey | null,
  success: number,
): number {
  if (!holds(caller, rule.permission) || caller.scope !== (rule.scope ?? caller.scope)) return 403;
  if (rule.reach === "nothing") return success;
  if (project === null) return 404;
  const reached = caller.reach.includes(project);
  const allowed = {
    project: reached,
    "project or organization:admin": reached || holds(caller, "organization:admin"),
    "project or organization:models:edit": reached || editsOrganization(caller),
    "new project": projects.every((each) => caller.reach.includes(each)),
    organization: true,
  };
  return allowed[rule.reach] && rule.besides?.(caller) !== false ? success : 403;
}
