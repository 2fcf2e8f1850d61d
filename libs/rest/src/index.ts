export { createRestApi, type Endpoint, type RestApi } from "./api.ts";
export { takesPreconditions } from "./openapi/headers.ts";
export { createOpenApi, type OpenApiInfo } from "./openapi/openapi.ts";
export { getErrorStatuses } from "./openapi/responses.ts";
export {
  toCode,
  problemContentType,
  problemHeaders,
  toProblem,
  toStatus,
  type Problem,
  type ProblemFacts,
} from "./responses/problem.ts";
export type { RequestParts, RequestReader } from "./requests/request.ts";
export { contentDisposition, type ResponseWriter, type RestResponse } from "./responses/response.ts";
export { createRouter, type Match, type RouterEntry } from "./routing/router.ts";
export {
  defaultMaxBodyBytes,
  getEventName,
  hasNoDeadline,
  httpBodyType,
  createRoutes,
  type Route,
  type UploadRule,
} from "./routing/routes.ts";
export { expandTemplate, parseTemplate, TemplateError, type Template } from "./routing/template.ts";
export { filenameParameter, filePart, type FileDescription, type UploadReader } from "./requests/upload.ts";
export type { Outcome, Violation } from "./requests/violation.ts";
export { createJsonWriters, type JsonWriter, type JsonWriters } from "./responses/writer.ts";
