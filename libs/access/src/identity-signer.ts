import type { Interceptor } from "@connectrpc/connect";
import { identityKey } from "./caller.ts";
import { identityHeader, signIdentity } from "./identity-claims.ts";
import type { IdentityKeys } from "./identity-keys.ts";

/** Who signs, for which service. `now` is the clock, in milliseconds. */
export interface IdentitySignerOptions {
  service: string;
  audience: string;
  keys: IdentityKeys;
  now?: () => number;
}

/**
 * The client side of the identity between services: every call says, signed for its audience and for 60 s, which service acts
 * and for which caller: the one in the call's context values under `identityKey`, none when there is none.
 */
export function identitySigner({ service, audience, keys, now = Date.now }: IdentitySignerOptions): Interceptor {
  const key = keys.keyFor(audience);
  return (next) => (request) => {
    const caller = request.contextValues.get(identityKey)?.caller;
    request.header.set(identityHeader, signIdentity({ service, caller }, audience, key, now()));
    return next(request);
  };
}
