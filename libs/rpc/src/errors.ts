import { type MessageInitShape, type DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { problemReasons, type ProblemReason, type ReasonOf, type StatusCode } from "@switchyard/contracts/reasons";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@switchyard/contracts/google/rpc/error_details";

/** A violation of a constraint by a request. */
export interface Violation {
  /** The path of the field as the client writes it, such as `routes[0].name`. Empty for the request itself. */
  field: string;
  /** An explanation for people. */
  message: string;
}

/** The optional parts of a problem. */
export interface ProblemOptions {
  violations?: readonly Violation[];
  metadata?: Readonly<Record<string, string>>;
  /** The number of seconds after which a retry may succeed. The default is 1 for Unavailable, and none for other codes. */
  retryAfterSeconds?: number;
  /** The underlying error. It is logged in this process but never sent. */
  cause?: unknown;
}

/** The parts of an error, whether it was thrown here or received. */
export interface ProblemFacts {
  code: Code;
  /** A stable identifier in upper case with underscores. */
  reason: string;
  message: string;
  metadata: Record<string, string>;
  violations: Violation[];
  /** The number of seconds after which a retry may succeed, if the error contains it. */
  retryAfterSeconds?: number;
}

const domain = "switchyard";
const internalText = "Something went wrong inside the service.";

// Errors are sent in trailers, and peers refuse header blocks of more than a few dozen kilobytes. So that an error fits, a text that quotes
// a request is limited, whatever the size of the request.
const maxTextLength = 1_000;
const maxViolationLength = 12_000;

/**
 * Creates an error with the given status code. Its details are a `google.rpc.ErrorInfo` with the reason, the domain "switchyard" and
 * the metadata; a `google.rpc.BadRequest` if there are violations; and a `google.rpc.RetryInfo` if the call can be retried, which REST
 * sends as `Retry-After`. So that the error fits into trailers, texts are truncated to 1,000 characters, and of violations beyond 12,000
 * bytes only the number is sent.
 */
export function problem(
  code: Code,
  reason: ProblemReason,
  message: string,
  options: ProblemOptions = {},
): ConnectError {
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

/** Creates an InvalidArgument error. Its message is the first violation and the number of further ones. */
export function invalid(
  violations: readonly Violation[],
  reason: ReasonOf<"INVALID_ARGUMENT"> = "INVALID_REQUEST",
): ConnectError {
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

/** Creates an InvalidArgument error for a field that names a model without an extraction schema. */
export function modelHasNoSchema(field = "deploymentId"): ConnectError {
  return problem(Code.InvalidArgument, "MODEL_HAS_NO_SCHEMA", "The model has no extraction schema.", {
    violations: [{ field, message: "is a model without an extraction schema" }],
  });
}

/** What a call can fail to find: `extraction` has the reason `EXTRACTION_NOT_FOUND`. */
export type MissingKind = ToKind<ReasonOf<"NOT_FOUND">>;

type ToKind<Reason> = Reason extends `${infer Kind}_NOT_FOUND` ? Spaced<Lowercase<Kind>> : never;
type Spaced<Text extends string> = Text extends `${infer Word}_${infer Rest}` ? `${Word} ${Spaced<Rest>}` : Text;

/** What has no ID of its own: a call names it by the ID of another resource. */
const kindsWithoutId: readonly MissingKind[] = ["accepted values", "result", "review", "review policy"];

/** Creates a NotFound error with the reason `<KIND>_NOT_FOUND`. `field` is the request field that contains the ID. */
export function notFound(kind: MissingKind, id: string, field?: string): ConnectError {
  const reason = toNotFoundReason(kind);
  const message = kindsWithoutId.includes(kind)
    ? problemReasons[reason][1]
    : `There is no ${kind} ${JSON.stringify(shortened(id, 200))}.`;
  return problem(Code.NotFound, reason, message, {
    violations: field === undefined ? [] : [{ field, message }],
  });
}

/** Creates a PermissionDenied error. */
export function forbidden(
  reason: ReasonOf<"PERMISSION_DENIED">,
  message: string,
  metadata?: Readonly<Record<string, string>>,
): ConnectError {
  return problem(Code.PermissionDenied, reason, message, metadata === undefined ? {} : { metadata });
}

/** Creates an AlreadyExists error. */
export function conflict(
  reason: ReasonOf<"ALREADY_EXISTS">,
  message: string,
  metadata?: Readonly<Record<string, string>>,
): ConnectError {
  return problem(Code.AlreadyExists, reason, message, metadata === undefined ? {} : { metadata });
}

/** Creates an Unauthenticated error. */
export function unauthenticated(reason: ReasonOf<"UNAUTHENTICATED">, message: string): ConnectError {
  return problem(Code.Unauthenticated, reason, message);
}

/** Creates an Unavailable error. A retry may succeed after `retryAfterSeconds`. */
export function unavailable(
  reason: ReasonOf<"UNAVAILABLE">,
  message: string,
  cause?: unknown,
  retryAfterSeconds = 1,
): ConnectError {
  return problem(Code.Unavailable, reason, message, { cause, retryAfterSeconds });
}

/** Creates an Internal error (`INTERNAL`) with a fixed text. The cause is logged but not sent. */
export function internal(cause?: unknown): ConnectError {
  return problem(Code.Internal, "INTERNAL", internalText, { cause });
}

/** Creates a Canceled error (`CANCELED`): the caller no longer waits for the response. */
export function canceled(): ConnectError {
  return problem(Code.Canceled, "CANCELED", "The caller canceled the call.");
}

/** Creates a DeadlineExceeded error (`DEADLINE_EXCEEDED`). */
export function deadlineExceeded(): ConnectError {
  return problem(Code.DeadlineExceeded, "DEADLINE_EXCEEDED", "The call took longer than its deadline allows.");
}

/**
 * Returns the parts of any error. Without an `ErrorInfo`, the reason of a status is its code. An opaque error (`isOpaqueError`), and
 * anything that is not a status, becomes Internal (`INTERNAL`) with a fixed text.
 */
export function getProblemFacts(error: unknown): ProblemFacts {
  if (!(error instanceof ConnectError) || isOpaqueError(error)) {
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

/** Returns the number of seconds, rounded up, after which the call can be retried, if the error contains it. */
export function getRetryAfter(error: ConnectError): number | undefined {
  const [delay] = error.findDetails(RetryInfoSchema).map(({ retryDelay }) => retryDelay);
  return delay === undefined ? undefined : Number(delay.seconds) + (delay.nanos > 0 ? 1 : 0);
}

/** Converts a status code to a reason: `Code.NotFound` to `NOT_FOUND`. */
export function getReason(code: Code): StatusCode {
  return upperSnake(Code[code] ?? "Unknown") as StatusCode;
}

/**
 * Adds an `ErrorInfo` to a status without one, as the errors of Connect itself are. Its reason is the one that `getProblemFacts` returns. An
 * opaque error stays as it is.
 */
export function addReason(error: ConnectError): void {
  if (isOpaqueError(error) || error.findDetails(ErrorInfoSchema).length > 0) return;
  error.details = [...error.details, { desc: ErrorInfoSchema, value: { reason: getReason(error.code), domain } }];
}

/** Returns whether an error is Unknown, Internal or DataLoss without an `ErrorInfo`. No service sent it on purpose, so its text stays private. */
export function isOpaqueError(error: ConnectError): boolean {
  const isInternal = error.code === Code.Unknown || error.code === Code.Internal || error.code === Code.DataLoss;
  return isInternal && error.findDetails(ErrorInfoSchema).length === 0;
}

function bounded(violations: readonly Violation[]): { field: string; description: string }[] {
  const kept: { field: string; description: string }[] = [];
  let size = 0;
  for (const [index, { field, message }] of violations.entries()) {
    const violation = { field: shortened(field, 300), description: shortened(message) };
    size += Buffer.byteLength(violation.field) + Buffer.byteLength(violation.description);
    if (size > maxViolationLength) {
      kept.push({ field: "", description: `${violations.length - index} more are not listed` });
      break;
    }
    kept.push(violation);
  }
  return kept;
}

/** Truncates a text to `maxLength` characters, without lone surrogates, which neither headers nor protobuf can encode. */
function shortened(text: string, maxLength = maxTextLength): string {
  const cut = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
  return Buffer.from(cut).toString();
}

function toNotFoundReason(kind: MissingKind): ReasonOf<"NOT_FOUND"> {
  return `${upperSnake(kind)}_NOT_FOUND` as ReasonOf<"NOT_FOUND">;
}

function upperSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
}
