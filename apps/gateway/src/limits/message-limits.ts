import { defaultMaxBodyBytes, type Route } from "@switchyard/rest";
import type { LimitMessages } from "@switchyard/rpc";

/**
 * Creates the limits of request messages over RPC. A method has the limit of its body over REST, where a file may be larger: `fileBytes` is
 * the limit of the methods that take files. Of these, unknown fields are not forwarded: a message of the size of a file, but with unknown
 * fields only, would take gigabytes.
 */
export function createMessageLimits(routes: readonly Route[], fileBytes: number): LimitMessages {
  const takesFile = new Set(
    routes
      .filter(({ upload, maxBodyBytes }) => upload !== undefined || maxBodyBytes > defaultMaxBodyBytes)
      .map(({ method }) => method),
  );
  return (method) =>
    takesFile.has(method)
      ? { maxBytes: fileBytes, keepsUnknownFields: false }
      : { maxBytes: Math.min(defaultMaxBodyBytes, fileBytes), keepsUnknownFields: true };
}
