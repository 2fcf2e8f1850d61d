export type { RetryListener } from "./attempt.ts";
export type { Call } from "./call.ts";
export { createClient, type CallOptions, type Client, type ClientOptions } from "./client.ts";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  SwitchyardError,
  TimeoutError,
  type Problem,
} from "./errors.ts";
export type { Events } from "./events.ts";
export type { FileContent, FileData, FileInput } from "./files.ts";
export * from "./gen/api.ts";
export type { OpenResponse, PathRequest } from "./open.ts";
export { nextPageToken, type PageItem, type PagedCall } from "./pages.ts";
export { parseJsonBody, type ClientResponse } from "./send.ts";
