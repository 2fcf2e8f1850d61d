export { createRestApi, type Endpoint, type RestApi } from "./api.ts";
export { takesPreconditions } from "./openapi/headers.ts";
export { createOpenApi } from "./openapi/openapi.ts";
export { getErrorStatuses } from "./openapi/responses.ts";
export { problemContentType, problemHeaders, toProblem } from "./responses/problem.ts";
export { contentDisposition } from "./responses/response.ts";
export {
  defaultMaxBodyBytes,
  getEventName,
  hasNoDeadline,
  httpBodyType,
  createRoutes,
  type Route,
  type UploadRule,
} from "./routing/routes.ts";
export { expandTemplate, parseTemplate } from "./routing/template.ts";
export { filePart, type FileDescription, type UploadReader } from "./requests/upload.ts";
export { createJsonWriters } from "./responses/writer.ts";
