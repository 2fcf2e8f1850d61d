import { getOption, hasOption } from "@bufbuild/protobuf";
import { Code, type Interceptor } from "@connectrpc/connect";
import { removed } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { problem } from "../errors.ts";

/**
 * Answers methods that have the `removed` annotation: Unimplemented, reason "ENDPOINT_REMOVED", metadata
 * {replacements: the paths that replace it, separated by a comma}.
 */
export function removedInterceptor(): Interceptor {
  return (next) => async (request) => {
    if (!hasOption(request.method, removed)) return next(request);
    const { reason, replacements } = getOption(request.method, removed);
    throw problem(Code.Unimplemented, "ENDPOINT_REMOVED", reason === "" ? "This endpoint was removed." : reason, {
      metadata: { replacements: replacements.join(",") },
    });
  };
}
