import { Code } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import { problem } from "@switchyard/rpc";
import { identityKey } from "../caller.ts";
import { identityHeader, signIdentity } from "./identity-claims.ts";
import type { IdentityKeys } from "./identity-keys.ts";

/** Who signs, for which service. `now` is the clock, in milliseconds. */
export interface IdentitySignerOptions {
  service: string;
  audience: string;
  keys: IdentityKeys;
  now?: () => number;
}

/** Servers reset calls whose headers have more than 64 KiB in all: about 1,400 projects. */
const maxHeaderLength = 60_000;

/**
 * The client side of the identity between services: every call says, signed for its audience and for 60 s, which service acts
 * and for which caller: the one in the call's context values under `identityKey`, none when there is
 * none. Throws ResourceExhausted for a caller with more projects than a header can carry.
 */
export function identitySigner({ service, audience, keys, now = Date.now }: IdentitySignerOptions): Interceptor {
  const key = keys.keyFor(audience);
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
