import { status as Status, type StatusObject } from "@grpc/grpc-js";
import { Code, type ConnectError } from "@connectrpc/connect";
import { problem, getReason, unavailable } from "../errors.ts";
import { headersFrom } from "./metadata.ts";
import { errorInTrailers, statusDetails } from "../serving/wire-status.ts";

/**
 * The error that a status of grpc-js stands for; undefined for success. A status with details is the service's own,
 * whole. UNAVAILABLE without details means that the channel got no answer: its text, which names addresses, is kept as
 * the cause only. A service that passes it on thereby asks its caller not to try again: this channel has done so, and
 * tries of tries would take a multiple of the time.
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

/** grpc-js undoes percent-encoding with `decodeURI`, which leaves the reserved characters of URIs encoded. */
function unescaped(details: string): string {
  return details.replace(/%(2[346BCF]|3[ABDF]|40)/g, (escape) => decodeURIComponent(escape));
}
