export { createRestApi, type Endpoint, type RestApi } from "./api.ts";
export { createOpenApi, type OpenApiInfo } from "./openapi.ts";
export { getFailureStatuses } from "./openapi-responses.ts";
export {
  toCode,
  problemContentType,
  problemHeaders,
  toProblem,
  toStatus,
  type Problem,
  type ProblemFacts,
} from "./problem.ts";
export type { RequestParts, RequestReader } from "./request.ts";
export { contentDisposition, type ResponseWriter, type RestResponse } from "./response.ts";
export { createRouter, type Match, type RouterEntry } from "./router.ts";
export {
  defaultMaxBodyBytes,
  getEventName,
  httpBodyType,
  createRoutes,
  type Route,
  type UploadRule,
} from "./routes.ts";
export { expandTemplate, parseTemplate, TemplateError, type Template } from "./template.ts";
export { filenameParameter, filePart, type FileDescription, type UploadReader } from "./upload.ts";
export type { Outcome, Violation } from "./violation.ts";
export { createJsonWriters, type JsonWriter, type JsonWriters } from "./writer.ts";
