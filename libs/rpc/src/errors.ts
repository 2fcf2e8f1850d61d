import { type MessageInitShape, type DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@switchyard/contracts/google/rpc/error_details";

/** One thing that is wrong with a request. */
export interface Violation {
  /** The path of the field in the request as its sender writes it, such as `routes[0].name`; empty for the request itself. */
  field: string;
  /** A sentence for people. */
  message: string;
}

/** What a problem may say besides its code, reason and message. */
export interface ProblemOptions {
  violations?: readonly Violation[];
  metadata?: Readonly<Record<string, string>>;
  /** After how many whole seconds the same call may succeed; of Unavailable 1 unless given. */
  retryAfterSeconds?: number;
  /** What led to it; for the log of this process only, it never leaves. */
  cause?: unknown;
}

/** What can be read from any error, however it arrived. */
export interface ProblemFacts {
  code: Code;
  /** UPPER_SNAKE and stable. */
  reason: string;
  message: string;
  metadata: Record<string, string>;
  violations: Violation[];
  /** After how many seconds the same call may succeed, where the error says so. */
  retryAfterSeconds?: number;
}

const domain = "switchyard";
const internalText = "Something went wrong inside the service.";

// Errors travel in trailers, and peers refuse header blocks of more than a few dozen kilobytes: texts that quote a
// request must not grow with it.
const maxTextLength = 1_000;
const maxViolationLength = 12_000;

/**
 * An error with the given status code that carries `google.rpc.ErrorInfo` {reason, domain "switchyard", metadata} and,
 * when there are violations, `google.rpc.BadRequest`. An error after which the call may be repeated carries `google.rpc.RetryInfo`
 * too, which REST tells as `Retry-After`. Texts over 1,000 characters are cut, and violations beyond 12,000 bytes are left out, so
 * that it always fits into trailers.
 */
export function problem(code: Code, reason: string, message: string, options: ProblemOptions = {}): ConnectError {
  const metadata = Object.fromEntries(
    Object.entries(options.metadata ?? {}).map(([key, value]) => [key, shortened(value)]),
  );
  const details: { desc: DescMessage; value: MessageInitShape<DescMessage> }[] = [
    { desc: ErrorInfoSchema, value: { reason, domain, metadata } },
  ];
  const fieldViolations = bounded(options.violations ?? []);
  if (fieldViolations.length > 0) {
    details.push({ desc: BadRequestSchema, value: { fieldViolations } });
  }
  const seconds = options.retryAfterSeconds ?? (code === Code.Unavailable ? 1 : undefined);
  if (seconds !== undefined) {
    details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(seconds) } } });
  }
  return new ConnectError(shortened(message), code, undefined, details, options.cause);
}

/** InvalidArgument with these violations; the message is the first one, and says how many more there are. */
export function invalid(violations: readonly Violation[], reason = "INVALID_REQUEST"): ConnectError {
  const [first, ...more] = violations;
  const sentence =
    first === undefined
      ? "The request is not valid."
      : first.field === ""
        ? first.message
        : `${first.field}: ${first.message}`;
  const message = more.length === 0 ? sentence : `${sentence} (and ${more.length} more)`;
  return problem(Code.InvalidArgument, reason, message, { violations });
}

/** NotFound with the reason "<KIND>_NOT_FOUND"; `field` names the field of the request that has the id. */
export function notFound(kind: string, id: string, field?: string): ConnectError {
  const message = `There is no ${kind} ${JSON.stringify(shortened(id, 200))}.`;
  return problem(Code.NotFound, `${upperSnake(kind)}_NOT_FOUND`, message, {
    violations: field === undefined ? [] : [{ field, message }],
  });
}

/** PermissionDenied. */
export function forbidden(reason: string, message: string, metadata?: Readonly<Record<string, string>>): ConnectError {
  return problem(Code.PermissionDenied, reason, message, metadata === undefined ? {} : { metadata });
}

/** AlreadyExists. */
export function conflict(reason: string, message: string, metadata?: Readonly<Record<string, string>>): ConnectError {
  return problem(Code.AlreadyExists, reason, message, metadata === undefined ? {} : { metadata });
}

/** Unauthenticated. */
export function unauthenticated(reason: string, message: string): ConnectError {
  return problem(Code.Unauthenticated, reason, message);
}

/** Unavailable: the same call may succeed after a second, or after as many as are given. */
export function unavailable(reason: string, message: string, cause?: unknown, retryAfterSeconds = 1): ConnectError {
  return problem(Code.Unavailable, reason, message, { cause, retryAfterSeconds });
}

/** Internal, reason "INTERNAL", with a fixed text: what happened is for the log, not for the caller. */
export function internal(cause?: unknown): ConnectError {
  return problem(Code.Internal, "INTERNAL", internalText, { cause });
}

/** Canceled, reason "CANCELED": whoever asked no longer waits for the answer. */
export function canceled(): ConnectError {
  return problem(Code.Canceled, "CANCELED", "The caller gave up the call.");
}

/** DeadlineExceeded, reason "DEADLINE_EXCEEDED". */
export function deadlineExceeded(): ConnectError {
  return problem(Code.DeadlineExceeded, "DEADLINE_EXCEEDED", "The call took longer than its deadline allows.");
}

/**
 * The facts of any error. A status without an `ErrorInfo` has its code as reason; a status that says nothing (Unknown,
 * Internal, DataLoss) without one, and anything that is not a status, is Internal / "INTERNAL" with a fixed text.
 */
export function getProblemFacts(error: unknown): ProblemFacts {
  if (!(error instanceof ConnectError) || saysNothing(error)) {
    return { code: Code.Internal, reason: "INTERNAL", message: internalText, metadata: {}, violations: [] };
  }
  const [info] = error.findDetails(ErrorInfoSchema);
  const retryAfterSeconds = getRetryAfter(error);
  return {
    code: error.code,
    reason: info?.reason ?? getReason(error.code),
    message: error.rawMessage,
    metadata: { ...info?.metadata },
    violations: error
      .findDetails(BadRequestSchema)
      .flatMap((detail) => detail.fieldViolations)
      .map(({ field, description }) => ({ field, message: description })),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** After how many whole seconds the call may be repeated, if the error says so. */
export function getRetryAfter(error: ConnectError): number | undefined {
  const [delay] = error.findDetails(RetryInfoSchema).map(({ retryDelay }) => retryDelay);
  return delay === undefined ? undefined : Number(delay.seconds) + (delay.nanos > 0 ? 1 : 0);
}

/** A status code as a reason: `Code.NotFound` is "NOT_FOUND". */
export function getReason(code: Code): string {
  return upperSnake(Code[code] ?? "Unknown");
}

/** Whether an error is a status of which nothing may be told: one that no service chose to send. */
export function saysNothing(error: ConnectError): boolean {
  const vague = error.code === Code.Unknown || error.code === Code.Internal || error.code === Code.DataLoss;
  return vague && error.findDetails(ErrorInfoSchema).length === 0;
}

function bounded(violations: readonly Violation[]): { field: string; description: string }[] {
  const kept = [];
  let size = 0;
  for (const { field, message } of violations) {
    const violation = { field: shortened(field, 300), description: shortened(message) };
    size += Buffer.byteLength(violation.field) + Buffer.byteLength(violation.description);
    if (size > maxViolationLength) break;
    kept.push(violation);
  }
  return kept;
}

/** At most `longest` characters, without halves of surrogate pairs (which neither headers nor protobuf can carry). */
function shortened(text: string, longest = maxTextLength): string {
  const cut = text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
  return Buffer.from(cut).toString();
}

function upperSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
}
