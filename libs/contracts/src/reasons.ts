import type { ExclusionReason, ReasonCode } from "./gen/switchyard/classifier/v1/classifier_pb.ts";
import type { ReadProblem } from "./gen/switchyard/extraction/v1/extraction_pb.ts";

/** A status code of gRPC, by the name of its REST equivalent. */
export type StatusCode =
  | "ABORTED"
  | "ALREADY_EXISTS"
  | "CANCELED"
  | "DATA_LOSS"
  | "DEADLINE_EXCEEDED"
  | "FAILED_PRECONDITION"
  | "INTERNAL"
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "OUT_OF_RANGE"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "UNAUTHENTICATED"
  | "UNAVAILABLE"
  | "UNIMPLEMENTED"
  | "UNKNOWN";

/** The reasons of errors: the status code that each comes with, and its meaning. `docs/errors.md` is printed from this list. */
export const problemReasons = {
  ABORTED: ["ABORTED", "The call was aborted."],
  ACCEPTED_VALUES_NOT_FOUND: ["NOT_FOUND", "The file has no accepted values for the model."],
  ACCESS_LOST: ["PERMISSION_DENIED", "The token lost access during the call."],
  ALREADY_EXISTS: ["ALREADY_EXISTS", "The resource to create already exists."],
  CALLER_MISSING: ["UNAUTHENTICATED", "The method requires a token, but the call has none."],
  CANCELED: ["CANCELED", "The client cancelled the call."],
  CLASSIFICATION_NOT_FOUND: ["NOT_FOUND", "There is no such classification."],
  CLASSIFICATION_OUT_OF_REACH: ["PERMISSION_DENIED", "The token has no access to the project of the classification."],
  CLASSIFIER_HAS_NO_ROUTES: [
    "INVALID_ARGUMENT",
    "A classifier without routes cannot be moved into the project of its routes.",
  ],
  CLASSIFIER_NAME_TAKEN: ["ALREADY_EXISTS", "Another classifier has this name."],
  CLASSIFIER_NOT_FOUND: ["NOT_FOUND", "There is no such classifier."],
  CLASSIFIER_OUT_OF_REACH: ["PERMISSION_DENIED", "The token has no access to all projects of the classifier."],
  DATA_LOSS: ["DATA_LOSS", "Data was lost or damaged."],
  DEADLINE_EXCEEDED: ["DEADLINE_EXCEEDED", "The call took longer than its deadline allows."],
  DEPLOYMENT_NOT_FOUND: ["NOT_FOUND", "There is no such model or deployment."],
  DEPLOYMENT_OF_ANOTHER_MODEL: ["INVALID_ARGUMENT", "The deployment does not belong to the model of the route."],
  EMPTY_FILE: ["INVALID_ARGUMENT", "The file has no bytes."],
  ENDPOINT_REMOVED: ["UNIMPLEMENTED", "The endpoint was removed. `replacements` lists the endpoints to use instead."],
  ENGINE_ANSWER_INVALID: [
    "UNAVAILABLE",
    "The language model gave no answer of the required form, even when asked again.",
  ],
  ENGINE_CHANGED: ["FAILED_PRECONDITION", "The extraction engine has changed since the run started."],
  ENGINE_REFUSED: [
    "UNAVAILABLE",
    "The endpoint of the language model rejected the request, or the model refused to answer.",
  ],
  ENGINE_TIMEOUT: ["UNAVAILABLE", "The language model did not answer in time."],
  ENGINE_UNREACHABLE: ["UNAVAILABLE", "The endpoint of the language model does not respond, or is busy."],
  EVENTS_INTERRUPTED: [
    "UNAVAILABLE",
    "A part of the system that reports events is unavailable. Open the stream again, and then read the lists again.",
  ],
  EVENTS_MISSED: [
    "UNAVAILABLE",
    "Events were read too slowly and are lost. Open the stream again, and then read the lists again.",
  ],
  EXECUTION_NOT_FOUND: ["NOT_FOUND", "There is no such benchmark run."],
  EXECUTION_RUNNING: ["ALREADY_EXISTS", "A benchmark run must be cancelled before it can be deleted."],
  EXPECTATION_FAILED: ["INVALID_ARGUMENT", "The `Expect` header contains something other than `100-continue`."],
  EXTRACTION_NOT_COMPLETED: ["ALREADY_EXISTS", "Only the values of a completed extraction can be accepted."],
  EXTRACTION_NOT_FOUND: ["NOT_FOUND", "There is no such extraction."],
  FAILED_PRECONDITION: ["FAILED_PRECONDITION", "The state of the system does not allow the call."],
  FILE_CONTENT_DAMAGED: ["DATA_LOSS", "The stored content of the file is damaged. Restore it from a backup."],
  FILE_GONE: ["ALREADY_EXISTS", "The file of the record was deleted."],
  FILE_IN_OTHER_PROJECT: ["FAILED_PRECONDITION", "The file belongs to another project."],
  FILE_NOT_ACCEPTED: ["INVALID_ARGUMENT", "A file has no accepted values for the model."],
  FILE_NOT_FOUND: ["NOT_FOUND", "There is no such file."],
  FILE_OF_OTHER_PROJECT: ["INVALID_ARGUMENT", "The file does not belong to the project of the model."],
  GLOBAL_CLASSIFIER: ["PERMISSION_DENIED", "A project-scoped token cannot administer a global classifier."],
  HAS_DEPLOYMENTS: ["ALREADY_EXISTS", "The deployments of a model must be deleted before the model."],
  HEADERS_TOO_LARGE: ["INVALID_ARGUMENT", "The request line and headers are too large."],
  HOST_MISSING: ["INVALID_ARGUMENT", "The request has no `Host` header."],
  IDEMPOTENCY_KEY_IN_USE: ["ABORTED", "A request with the same idempotency key is in progress."],
  IDEMPOTENCY_KEY_REUSED: ["FAILED_PRECONDITION", "The idempotency key was used for a different request."],
  IDENTITY_INVALID: ["UNAUTHENTICATED", "The call does not contain a valid identity of a service."],
  IDENTITY_UNAVAILABLE: ["UNAVAILABLE", "Tokens cannot be verified at the moment."],
  INTERNAL: ["INTERNAL", "An internal error occurred. The log contains it under the request ID."],
  INVALID_ARGUMENT: ["INVALID_ARGUMENT", "The request is not valid."],
  INVALID_REQUEST: ["INVALID_ARGUMENT", "The request is not valid. `errors` names the fields."],
  JOB_NOT_FOUND: ["NOT_FOUND", "There is no such job."],
  LAST_ADMINISTRATOR: ["ALREADY_EXISTS", "The organization would be left without an administrator."],
  MALFORMED_REQUEST: ["INVALID_ARGUMENT", "The request is not valid HTTP."],
  METHOD_NOT_ALLOWED: ["UNIMPLEMENTED", "The path does not support this HTTP method."],
  MISSING_PERMISSION: ["PERMISSION_DENIED", "The token lacks a permission, which the error names."],
  MODEL_HAS_NO_SCHEMA: ["INVALID_ARGUMENT", "The model has no extraction schema."],
  MODEL_NOT_FOUND: ["NOT_FOUND", "There is no such model."],
  MODEL_OF_ANOTHER_PROJECT: ["INVALID_ARGUMENT", "A project classifier routes only to models of its own project."],
  MODEL_OF_OTHER_PROJECT: ["INVALID_ARGUMENT", "The model does not belong to the project of the file."],
  NAME_TAKEN: ["ALREADY_EXISTS", "Another model of the project, or deployment of the model, has this name."],
  NOTHING_TO_COMPARE: [
    "INVALID_ARGUMENT",
    "The two benchmark runs share no file that both scored with the same accepted values.",
  ],
  NOT_ACCEPTABLE: ["INVALID_ARGUMENT", "The `Accept` or `Accept-Encoding` header excludes what the endpoint returns."],
  NOT_FOUND: ["NOT_FOUND", "There is no such endpoint."],
  NOT_READY: ["UNAVAILABLE", "The service is starting, or depends on one that is not ready."],
  NO_ACCEPTED_FILES: ["INVALID_ARGUMENT", "No file is accepted for the model."],
  OUT_OF_RANGE: ["OUT_OF_RANGE", "A value is out of range."],
  OVERLOADED: ["UNAVAILABLE", "The server is handling as many requests as it can. Try again later."],
  PAGE_NOT_FOUND: ["NOT_FOUND", "The file has no such page."],
  PAYLOAD_TOO_LARGE: ["RESOURCE_EXHAUSTED", "The body or the file is too large."],
  PERMISSION_DENIED: ["PERMISSION_DENIED", "The token does not allow the call."],
  PERMISSION_NOT_HELD: ["PERMISSION_DENIED", "A token can only grant permissions that it has itself."],
  PRECONDITION_FAILED: [
    "FAILED_PRECONDITION",
    "The resource is not the version that `If-Match` or `If-None-Match` asks for. Nothing was changed.",
  ],
  PROJECT_NOT_FOUND: ["NOT_FOUND", "There is no such project."],
  PROJECT_OUT_OF_REACH: ["PERMISSION_DENIED", "The token has no access to the project."],
  PROTOCOL_ERROR: [
    "INTERNAL",
    "A service responded with no or several messages where one is expected, or a message is wrongly marked as compressed.",
  ],
  QUOTA_EXCEEDED: [
    "INVALID_ARGUMENT",
    "The call would exceed a quota of the organization. `quota`, `limit` and `used` contain its name, its limit and the current usage.",
  ],
  RANGE_NOT_SATISFIABLE: ["OUT_OF_RANGE", "The `Range` header selects no bytes of the file."],
  RATE_LIMITED: [
    "RESOURCE_EXHAUSTED",
    "The token has used up its requests for this minute. `Retry-After` says when to retry.",
  ],
  READER_UNAVAILABLE: ["UNAVAILABLE", "The document cannot be read at the moment."],
  REQUEST_TIMEOUT: ["DEADLINE_EXCEEDED", "The request took too long to arrive."],
  RESOURCE_EXHAUSTED: ["RESOURCE_EXHAUSTED", "A limit is reached."],
  RESULT_NOT_FOUND: ["NOT_FOUND", "The benchmark run has no result for the file."],
  REVIEW_NOT_FOUND: ["NOT_FOUND", "The record was not reviewed."],
  REVIEW_POLICY_NOT_FOUND: ["NOT_FOUND", "The model has no review policy."],
  REVISION_NOT_FOUND: ["NOT_FOUND", "There is no such revision of the accepted values."],
  ROUTES_SPAN_PROJECTS: ["INVALID_ARGUMENT", "The routes of the classifier belong to more than one project."],
  ROUTE_EXISTS: ["ALREADY_EXISTS", "The classifier already has a route to the same target."],
  ROUTE_NOT_FOUND: ["NOT_FOUND", "The classifier has no such route."],
  RUN_NOT_FINISHED: ["ALREADY_EXISTS", "A benchmark run can only be compared or checked after it has ended."],
  SCHEMA_NOT_FOUND: ["NOT_FOUND", "There is no such schema."],
  SCHEMA_OF_ANOTHER_MODEL: ["INVALID_ARGUMENT", "The schema belongs to another model."],
  SCOPE_NOT_HELD: ["PERMISSION_DENIED", "A project-scoped token can only issue project-scoped tokens."],
  SCORER_UNAVAILABLE: ["UNAVAILABLE", "The document cannot be scored at the moment."],
  SECRET_ALREADY_ISSUED: ["ALREADY_EXISTS", "The request was completed before, and its secret is shown only once."],
  SERVICE_NOT_FOUND: ["NOT_FOUND", "The server has no such service."],
  SERVICE_ONLY: ["PERMISSION_DENIED", "Only services may call the method."],
  SHUTTING_DOWN: ["UNAVAILABLE", "The server is shutting down."],
  SIGN_IN_LINK_INVALID: ["UNAUTHENTICATED", "The sign-in link of the console was used before or has expired."],
  STORAGE_BUSY: ["UNAVAILABLE", "There are too many concurrent changes to the same data. Try again."],
  STORAGE_FULL: ["UNAVAILABLE", "The database has no space left."],
  STORAGE_UNAVAILABLE: ["UNAVAILABLE", "The database does not respond."],
  TEAM_NOT_FOUND: ["NOT_FOUND", "There is no such team."],
  TEAM_OUT_OF_REACH: ["PERMISSION_DENIED", "The team grants access to projects that the token cannot access."],
  TOKEN_INVALID: ["UNAUTHENTICATED", "The token is not valid."],
  TOKEN_MISSING: ["UNAUTHENTICATED", "The request has no token."],
  TOKEN_NOT_ACTIVE: ["ALREADY_EXISTS", "The token is revoked or has expired."],
  TOKEN_NOT_FOUND: ["NOT_FOUND", "There is no such token."],
  TOKEN_OUT_OF_REACH: ["PERMISSION_DENIED", "The token has access to more projects than the token of the caller."],
  TOO_MANY_FILES: ["INVALID_ARGUMENT", "A benchmark run would have too many files."],
  TOO_MANY_PROJECTS: ["RESOURCE_EXHAUSTED", "The token has access to too many projects."],
  TOO_MANY_ROUTES: ["INVALID_ARGUMENT", "The classifier would have too many routes."],
  TOO_MANY_SECRETS: ["INVALID_ARGUMENT", "The token would have too many valid secrets."],
  UNAUTHENTICATED: ["UNAUTHENTICATED", "The call has no valid credentials."],
  UNAVAILABLE: ["UNAVAILABLE", "A service cannot be reached."],
  UNIMPLEMENTED: [
    "UNIMPLEMENTED",
    "There is no such method, or the server does not support a part of the call, such as its compression.",
  ],
  UNKNOWN: ["UNKNOWN", "An unknown error occurred."],
  UNSUPPORTED_FORMAT: ["INVALID_ARGUMENT", "There are no pictures of the pages of the file."],
  UNSUPPORTED_MEDIA_TYPE: ["INVALID_ARGUMENT", "The content type of the body is not supported."],
  UPLOAD_INCOMPLETE: ["INVALID_ARGUMENT", "The upload ended before its last message."],
  URI_TOO_LONG: ["INVALID_ARGUMENT", "The request target is too long."],
  USER_NOT_FOUND: ["NOT_FOUND", "There is no such user."],
  USER_OUT_OF_REACH: [
    "PERMISSION_DENIED",
    "Issuing or rotating tokens of other users requires an administrator of the organization.",
  ],
} as const satisfies Readonly<Record<string, readonly [code: StatusCode, meaning: string]>>;

/** The reason of an error. */
export type ProblemReason = keyof typeof problemReasons;

/** The reasons of errors with a certain status code. */
export type ReasonOf<Status extends StatusCode> = {
  [Reason in ProblemReason]: (typeof problemReasons)[Reason][0] extends Status ? Reason : never;
}[ProblemReason];

/** Returns whether a text is a reason of errors with a certain status code. */
export function isReasonOf<Status extends StatusCode>(status: Status, text: string): text is ReasonOf<Status> {
  return Object.hasOwn(problemReasons, text) && problemReasons[text as ProblemReason][0] === status;
}

/** The reasons for which an extraction or a benchmark run fails, besides those for which a document cannot be read. */
export const failureReasons = {
  ACCEPTED_VALUES_GONE: "The accepted values of the file were deleted during the benchmark run.",
  ENGINE_ANSWER_INVALID: "The language model gave no answer of the required form, even when asked again.",
  ENGINE_CHANGED: "The extraction engine changed during the benchmark run.",
  ENGINE_REFUSED: "The endpoint of the language model rejected the request, or the model refused to answer.",
  ENGINE_TIMEOUT: "The language model did not answer in time.",
  ENGINE_UNREACHABLE: "The endpoint of the language model does not respond, or is busy.",
  EXTRACTION_FAILED: "The extraction ended unexpectedly.",
  EXTRACTION_LOST: "The extraction was started several times and never completed.",
  EXTRACTION_MEMORY: "The extraction exceeded its memory limit.",
  EXTRACTION_TIMEOUT: "The extraction exceeded its time limit.",
  FILE_CONTENT_DAMAGED: "The stored content of the file is damaged.",
  FILE_NOT_FOUND: "The file was deleted.",
  NO_FILE_SCORED: "None of the files of the benchmark run could be extracted, or has a labeled cell.",
  RESULT_TOO_LARGE: "The extracted values are too large to be stored.",
  SCHEMA_NOT_FOUND: "The extraction schema was deleted.",
  STALLED: "The benchmark run made no progress for too long.",
} as const satisfies Readonly<Record<string, string>>;

/** The reason for which a document cannot be read. */
export type ReadFailureReason = Exclude<keyof typeof ReadProblem, "UNSPECIFIED">;

/** The reason for which an extraction or a benchmark run failed. */
export type FailureReason = keyof typeof failureReasons | ReadFailureReason;

/** The reason for which a document was not routed. */
export type ClassificationReason = Exclude<keyof typeof ReasonCode, "UNSPECIFIED">;

/** The reason for which a route is excluded from classification. */
export type RouteExclusionReason = Exclude<keyof typeof ExclusionReason, "UNSPECIFIED">;
