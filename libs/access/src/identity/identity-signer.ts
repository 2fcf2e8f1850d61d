import { Code } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import { problem } from "@switchyard/rpc";
import { identityKey } from "../caller.ts";
import { identityHeader, signIdentity } from "./identity-claims.ts";
import type { IdentityKeys } from "./identity-keys.ts";

/** The signing service and the called service. `now` returns the time in milliseconds. */
export interface IdentitySignerOptions {
  service: string;
  audience: string;
  keys: IdentityKeys;
  now?: () => number;
}

/** Servers reset calls whose headers exceed 64 KiB in total, which is about 1,400 projects. */
const maxHeaderLength = 60_000;

/**
 * Creates the client interceptor for identities between services. It signs every call, for its audience and for 60 s, with the calling
 * service and the caller from the context value `identityKey`, if there is one. Throws ResourceExhausted if the caller has more projects
 * than fit into a header.
 */
export function identitySigner({ service, audience, keys, now = Date.now }: IdentitySignerOptions): Interceptor {
  const key = keys.getKey(audience);
  return (next) => async (request) => {
    const caller = request.contextValues.get(identityKey)?.caller;
    const header = signIdentity({ service, caller }, audience, key, now());
    if (header.length > maxHeaderLength) {
      throw problem(
        Code.ResourceExhausted,
        "TOO_MANY_PROJECTS",
        "The token reaches more projects than a call can carry.",
      );
    }
    request.header.set(identityHeader, header);
    return await next(request);
  };
}
