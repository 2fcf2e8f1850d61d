import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { Code, type Interceptor } from "@connectrpc/connect";
import { removed } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { problem } from "../errors.ts";

/**
 * Throws Unimplemented (`ENDPOINT_REMOVED`) for a method with the `removed` annotation. The metadata entry `replacements` contains the
 * paths that replace it, separated by commas.
 */
export function refuseRemoved(method: DescMethod): void {
  if (!hasOption(method, removed)) return;
  const { reason, replacements } = getOption(method, removed);
  throw problem(Code.Unimplemented, "ENDPOINT_REMOVED", reason === "" ? "This endpoint was removed." : reason, {
    metadata: { replacements: replacements.join(",") },
  });
}

/** Creates a server interceptor that refuses removed methods with `refuseRemoved`. */
export function removedInterceptor(): Interceptor {
  return (next) => (request) => {
    refuseRemoved(request.method);
    return next(request);
  };
}
