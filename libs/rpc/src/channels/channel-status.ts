import { status as Status, type StatusObject } from "@grpc/grpc-js";
import { Code, type ConnectError } from "@connectrpc/connect";
import { problem, getReason, unavailable } from "../errors.ts";
import { headersFrom } from "./metadata.ts";
import { errorInTrailers, statusDetails } from "../serving/wire-status.ts";

/**
 * Converts a status of grpc-js to an error, or to undefined if the call succeeded. A status with details was sent by the service and is
 * kept unchanged. UNAVAILABLE without details means that the service could not be reached; its text contains addresses and is only
 * kept as the cause. The pushback metadata asks callers not to retry, because this channel already has and nested retries would
 * multiply the time.
 */
export function errorFromStatus({ code, details, metadata }: StatusObject): ConnectError | undefined {
  if (code === Status.OK) return undefined;
  const trailers = headersFrom(metadata);
  if (trailers.has(statusDetails)) {
    const error = errorInTrailers(trailers);
    if (error !== undefined) return error;
  }
  if (code === Status.UNAVAILABLE) {
    const error = unavailable("UNAVAILABLE", "The service cannot be reached.", new Error(details));
    error.metadata.set("grpc-retry-pushback-ms", "-1");
    return error;
  }
  const known = Code[code] === undefined ? Code.Unknown : (code as number as Code);
  return problem(known, getReason(known), unescaped(details));
}

/** Decodes the reserved characters of URIs, which grpc-js leaves encoded because it uses `decodeURI`. */
function unescaped(details: string): string {
  return details.replace(/%(2[346BCF]|3[ABDF]|40)/g, (escape) => decodeURIComponent(escape));
}
