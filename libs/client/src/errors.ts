/** The body of an error: application/problem+json, RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  /** A stable identifier in upper case with underscores. */
  readonly code: string;
  readonly requestId: string;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
  readonly [extra: string]: unknown;
}

/** The base class of all errors of this client. Only the reason of an abort by the caller is thrown unchanged. */
export class SwitchyardError extends Error {
  override name = "SwitchyardError";
}

/** Thrown for an invalid request, which was not sent. */
export class InvalidRequestError extends SwitchyardError {
  override name = "InvalidRequestError";
  /** The invalid member of the request, or the invalid option. */
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Thrown if there was no response, because the server could not be reached or the connection broke. The call may have taken effect. */
export class ConnectionError extends SwitchyardError {
  override name = "ConnectionError";
}

/** Thrown if there was no response in time. The call may have taken effect. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** Thrown for an error response. */
export class ApiError extends SwitchyardError {
  override name = "ApiError";
  readonly status: number;
  /**
   * A stable identifier in upper case with underscores, such as ROUTE_EXISTS, or HTTP_502 and the like if the response does not come from
   * Switchyard.
   */
  readonly code: string;
  /** The ID of the request in the server's log; "" if the response has none. */
  readonly requestId: string;
  /** The invalid fields, with an explanation for each. */
  readonly errors: Problem["errors"];
  /** The complete body of the error. */
  readonly problem: Problem;
  readonly headers: Headers;
  constructor(problem: Problem, headers: Headers) {
    super(`${problem.detail} (${problem.status} ${problem.code}, request ${problem.requestId || "without id"})`);
    this.status = problem.status;
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.errors = problem.errors;
    this.problem = problem;
    this.headers = headers;
  }
}

/** 400, 413, 415, 422: the request is invalid; `errors` lists the fields. */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}
/** 401: the token is missing or invalid. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}
/** 403: the token lacks a permission or access. */
export class PermissionError extends ApiError {
  override name = "PermissionError";
}
/** 404 and 410: the object or the endpoint does not exist. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}
/** 409 and 412: the request conflicts with the current state. Never retried. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}
/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}
/** 500 and above: an error of the server. */
export class ServerError extends ApiError {
  override name = "ServerError";
}

const byStatus: ReadonlyMap<number, typeof ApiError> = new Map<number, typeof ApiError>([
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [410, NotFoundError],
  [412, ConflictError],
  [413, BadRequestError],
  [415, BadRequestError],
  [422, BadRequestError],
  [429, RateLimitError],
]);

/** Creates the error of a response. If the body is not a problem, for example because it comes from a proxy, a problem is created. */
export function createApiError(status: number, headers: Headers, body: string): ApiError {
  const Kind = byStatus.get(status) ?? (status >= 500 ? ServerError : ApiError);
  return new Kind(toProblem(status, headers, body), headers);
}

function toProblem(status: number, headers: Headers, body: string): Problem {
  const parsed = parse(body);
  const location = headers.get("location");
  const detail =
    status >= 300 && status < 400
      ? `The server redirects${location === null ? "" : ` to ${location}`}, which this client does not follow.`
      : `The server responded with ${status} without a reason.`;
  return {
    ...parsed,
    type: toText(parsed["type"], "about:blank"),
    title: toText(parsed["title"], `Status ${status}`),
    status,
    detail: toText(parsed["detail"], detail),
    instance: toText(parsed["instance"], ""),
    code: toText(parsed["code"], `HTTP_${status}`),
    requestId: toText(parsed["requestId"], headers.get("x-request-id") ?? ""),
    errors: Array.isArray(parsed["errors"]) ? (parsed["errors"] as Problem["errors"]) : [],
  };
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function toText(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
