/** The body of an error: application/problem+json, RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  /** UPPER_SNAKE and stable. */
  readonly code: string;
  readonly requestId: string;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
  readonly [extra: string]: unknown;
}

/** Every error that this client throws, but for the reason of an abort by the caller, which is thrown as it is. */
export class SwitchyardError extends Error {
  override name = "SwitchyardError";
}

/** A request that was not sent because it cannot be one of the API. */
export class InvalidRequestError extends SwitchyardError {
  override name = "InvalidRequestError";
  /** The member of the request, or the option, that is wrong. */
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** No answer came: the server could not be reached, or the connection broke. What was asked may have happened all the same. */
export class ConnectionError extends SwitchyardError {
  override name = "ConnectionError";
}

/** No answer came in time. What was asked may have happened all the same. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** An answer that is an error. */
export class ApiError extends SwitchyardError {
  override name = "ApiError";
  readonly status: number;
  /** UPPER_SNAKE and stable, such as ROUTE_EXISTS; HTTP_502 and the like where the answer is not one of Switchyard. */
  readonly code: string;
  /** By which the server's log names the request; "" where the answer has none. */
  readonly requestId: string;
  /** The fields that are wrong, and how. */
  readonly errors: Problem["errors"];
  /** The whole body of the error. */
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

/** 400, 413, 415, 422: the request is wrong; `errors` names the fields. */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}
/** 401: there is no token, or it is not valid. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}
/** 403: the token may not do this. */
export class PermissionError extends ApiError {
  override name = "PermissionError";
}
/** 404 and 410: there is no such thing. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}
/** 409: what is there stands against it. Never retried. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}
/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}
/** 500 and above: the server's fault. */
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
  [413, BadRequestError],
  [415, BadRequestError],
  [422, BadRequestError],
  [429, RateLimitError],
]);

/** The error of an answer, with a problem made up where the body is none, as a proxy's is. */
export function createApiError(status: number, headers: Headers, body: string): ApiError {
  const Kind = byStatus.get(status) ?? (status >= 500 ? ServerError : ApiError);
  return new Kind(toProblem(status, headers, body), headers);
}

function toProblem(status: number, headers: Headers, body: string): Problem {
  const stated = parse(body);
  const location = headers.get("location");
  const detail =
    status >= 300 && status < 400
      ? `The server redirects${location === null ? "" : ` to ${location}`}, which this client does not follow.`
      : `The server answered ${status} without saying why.`;
  return {
    ...stated,
    type: toText(stated["type"], "about:blank"),
    title: toText(stated["title"], `Status ${status}`),
    status,
    detail: toText(stated["detail"], detail),
    instance: toText(stated["instance"], ""),
    code: toText(stated["code"], `HTTP_${status}`),
    requestId: toText(stated["requestId"], headers.get("x-request-id") ?? ""),
    errors: Array.isArray(stated["errors"]) ? (stated["errors"] as Problem["errors"]) : [],
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
