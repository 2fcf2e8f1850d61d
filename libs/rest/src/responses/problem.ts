import type { ProblemReason, StatusCode } from "@switchyard/contracts/reasons";
import type { Violation } from "../requests/violation.ts";

/** The facts of a failed call, as returned by `getProblemFacts` of @switchyard/rpc. */
export interface ProblemFacts {
  /** A gRPC status code. */
  readonly code: number;
  /** A stable identifier in upper case with underscores. */
  readonly reason: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  /** The number of seconds after which the same call may succeed, if the error contains it. */
  readonly retryAfterSeconds?: number;
}

/** The body of application/problem+json (RFC 9457): these eight members, and the additional members of the error. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors: readonly Violation[];
  readonly [extra: string]: unknown;
}

/** The media type of a problem. */
export const problemContentType = "application/problem+json";

interface CodeRow {
  readonly code: number;
  readonly name: StatusCode;
  readonly status: number;
}

/** The status codes of gRPC and their HTTP statuses, as google/rpc/code.proto states them. */
export const statusCodes: readonly CodeRow[] = [
  { code: 1, name: "CANCELED", status: 499 },
  { code: 2, name: "UNKNOWN", status: 500 },
  { code: 3, name: "INVALID_ARGUMENT", status: 400 },
  { code: 4, name: "DEADLINE_EXCEEDED", status: 504 },
  { code: 5, name: "NOT_FOUND", status: 404 },
  { code: 6, name: "ALREADY_EXISTS", status: 409 },
  { code: 7, name: "PERMISSION_DENIED", status: 403 },
  { code: 8, name: "RESOURCE_EXHAUSTED", status: 429 },
  { code: 9, name: "FAILED_PRECONDITION", status: 400 },
  { code: 10, name: "ABORTED", status: 409 },
  { code: 11, name: "OUT_OF_RANGE", status: 400 },
  { code: 12, name: "UNIMPLEMENTED", status: 501 },
  { code: 13, name: "INTERNAL", status: 500 },
  { code: 14, name: "UNAVAILABLE", status: 503 },
  { code: 15, name: "DATA_LOSS", status: 500 },
  { code: 16, name: "UNAUTHENTICATED", status: 401 },
];

interface ReasonRow {
  readonly reason: ProblemReason;
  readonly code: number;
  readonly status: number;
}

// HTTP statuses that correspond to no RPC code are determined by the reason.
const reasons: readonly ReasonRow[] = [
  { reason: "METHOD_NOT_ALLOWED", code: 12, status: 405 },
  { reason: "NOT_ACCEPTABLE", code: 3, status: 406 },
  { reason: "REQUEST_TIMEOUT", code: 4, status: 408 },
  { reason: "ENDPOINT_REMOVED", code: 12, status: 410 },
  { reason: "PRECONDITION_FAILED", code: 9, status: 412 },
  { reason: "PAYLOAD_TOO_LARGE", code: 8, status: 413 },
  { reason: "URI_TOO_LONG", code: 3, status: 414 },
  { reason: "UNSUPPORTED_MEDIA_TYPE", code: 3, status: 415 },
  { reason: "RANGE_NOT_SATISFIABLE", code: 11, status: 416 },
  { reason: "EXPECTATION_FAILED", code: 3, status: 417 },
  { reason: "IDEMPOTENCY_KEY_REUSED", code: 9, status: 422 },
  { reason: "HEADERS_TOO_LARGE", code: 3, status: 431 },
  // Stored bytes are damaged. It is the only internal error with an explanation, because only the operator can resolve it.
  { reason: "FILE_CONTENT_DAMAGED", code: 15, status: 500 },
];

// RFC 9110 and its companions; 499 has no registered phrase.
const titles: ReadonlyMap<number, string> = new Map([
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [405, "Method Not Allowed"],
  [406, "Not Acceptable"],
  [408, "Request Timeout"],
  [409, "Conflict"],
  [410, "Gone"],
  [412, "Precondition Failed"],
  [413, "Content Too Large"],
  [414, "URI Too Long"],
  [415, "Unsupported Media Type"],
  [416, "Range Not Satisfiable"],
  [417, "Expectation Failed"],
  [422, "Unprocessable Content"],
  [429, "Too Many Requests"],
  [431, "Request Header Fields Too Large"],
  [499, "Client Closed Request"],
  [500, "Internal Server Error"],
  [501, "Not Implemented"],
  [503, "Service Unavailable"],
  [504, "Gateway Timeout"],
]);

const codeNames: ReadonlySet<string> = new Set(statusCodes.map(({ name }) => name));
const members: ReadonlySet<string> = new Set(
  "type title status detail instance code requestId errors __proto__".split(" "),
);

/** Returns the HTTP status of a failed call: by its reason if that has its own status, and otherwise by its code. 500 for unknown codes. */
export function toStatus(code: number, reason: string): number {
  return reasonRow(code, reason)?.status ?? statusCodes.find((row) => row.code === code)?.status ?? 500;
}

function reasonRow(code: number, reason: string): ReasonRow | undefined {
  return reasons.find((row) => row.reason === reason && row.code === code);
}

/** Returns the reason phrase of an HTTP error status. */
export function getTitle(status: number): string {
  return titles.get(status) ?? "Error";
}

/**
 * Returns the RPC code of an HTTP response, by its problem's `code` or else by its status. It is not always the inverse of `toStatus`,
 * because several codes share 400, 409 and 500. Returns UNKNOWN (2) for an unlisted status.
 */
export function toCode(status: number, reason?: string): number {
  const named = (row: ReasonRow): boolean => (reason === undefined ? status !== 500 : row.reason === reason);
  const byReason = reasons.find((row) => row.status === status && named(row));
  if (byReason !== undefined) return byReason.code;
  const byName = statusCodes.find((row) => row.name === reason && row.status === status);
  if (byName !== undefined) return byName.code;
  if (status === 500) return 13;
  return statusCodes.find((row) => row.status === status)?.code ?? 2;
}

/**
 * Creates the problem of a failed call. Statuses of 500 and above do not reveal internals: a 500 has a message only with a listed reason,
 * and others only with a stable reason of Switchyard, whose message is written for callers. Metadata becomes additional members, but never
 * replaces one of the eight. `replacements` is a list.
 */
export function toProblem(facts: ProblemFacts, request: { instance: string; requestId: string }): Problem {
  const status = toStatus(facts.code, facts.reason);
  const name = statusCodes.find((row) => row.code === facts.code)?.name ?? "INTERNAL";
  const internal = status === 500 && reasonRow(facts.code, facts.reason) === undefined;
  const hasPublicMessage = !internal && (status < 500 || (facts.reason !== "" && !codeNames.has(facts.reason)));
  const problem: Record<string, unknown> = {
    type: "about:blank",
    title: getTitle(status),
    status,
    detail: hasPublicMessage ? facts.message : (defaultDetails.get(status) ?? "The request could not be completed."),
    instance: request.instance,
    code: internal ? "INTERNAL" : facts.reason === "" ? name : facts.reason,
    requestId: request.requestId,
    errors: internal ? [] : facts.violations.map(({ field, message }) => ({ field, message })),
  };
  if (!internal)
    for (const [key, value] of Object.entries(facts.metadata))
      if (!members.has(key)) problem[key] = toMember(key, value);
  return problem as Problem;
}

const defaultDetails: ReadonlyMap<number, string> = new Map([
  [500, "An internal error occurred."],
  [501, "This method is not implemented."],
  [503, "The service is not available at the moment."],
  [504, "The request took too long."],
]);

/** The metadata that are counts. Counts are numbers in JSON. */
const counts: ReadonlySet<string> = new Set(["limit", "used"]);

/** Converts metadata, whose values are text, to a member of a problem. */
function toMember(key: string, value: string): unknown {
  if (key === "replacements") return parseList(value);
  return counts.has(key) ? Number(value) : value;
}

/** Parses a list in metadata: JSON, or words separated by commas. */
function parseList(text: string): readonly string[] {
  if (text.startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed.map(String);
    } catch {
      // It is not JSON: a list with commas may begin with a bracket.
    }
  }
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/**
 * Returns the headers of a problem by its status: the content type, `WWW-Authenticate` for 401, and `Retry-After` for 429 and 503 in
 * seconds, 1 by default.
 */
export function problemHeaders(status: number, retryAfterSeconds = 1): Readonly<Record<string, string>> {
  return {
    "content-type": problemContentType,
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(status === 429 || status === 503 ? { "retry-after": String(retryAfterSeconds) } : {}),
  };
}
