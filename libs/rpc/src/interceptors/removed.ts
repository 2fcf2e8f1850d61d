import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { Code, type Interceptor } from "@connectrpc/connect";
import { removed } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { problem } from "../errors.ts";

/**
 * Throws for a method that has the `removed` annotation: Unimplemented, reason "ENDPOINT_REMOVED", metadata {replacements: the
 * paths that replace it, separated by a comma}.
 */
export function refuseRemoved(method: DescMethod): void {
  if (!hasOption(method, removed)) return;
  const { reason, replacements } = getOption(method, removed);
  throw problem(Code.Unimplemented, "ENDPOINT_REMOVED", reason === "" ? "This endpoint was removed." : reason, {
    metadata: { replacements: replacements.join(",") },
  });
}

/** Answers methods that have the `removed` annotation as `refuseRemoved` says. */
export function removedInterceptor(): Interceptor {
  return (next) => async (request) => {
    refuseRemoved(request.method);
    return next(request);
  };
}
