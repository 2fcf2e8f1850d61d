import { Code } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { problem } from "@switchyard/rpc";
import { createSecretKey } from "node:crypto";
import { identityKey } from "../caller.ts";
import { identityHeader, identityLifetimeMs, signIdentity } from "./identity-claims.ts";
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

/** A signature is sent again for at most this time, so that it stays valid for the whole of every call that begins with it. */
const reuseMs = identityLifetimeMs / 2;

/**
 * Creates the client interceptor for identities between services. It signs every call, for its audience and for 30 to 60 s, with the
 * calling service and the caller from the context value `identityKey`, if there is one. Throws ResourceExhausted if the caller has more
 * projects than fit into a header.
 */
export function identitySigner({ service, audience, keys, now = Date.now }: IdentitySignerOptions): Interceptor {
  const key = createSecretKey(keys.getKey(audience));
  const signed = new WeakMap<object, { readonly header: string; readonly at: number }>();
  const withoutCaller = {};

  function sign(caller: Caller | undefined): string {
    const at = now();
    const known = signed.get(caller ?? withoutCaller);
    if (known !== undefined && known.at <= at && at < known.at + reuseMs) return known.header;
    const header = signIdentity({ service, caller }, audience, key, at);
    // A caller that can still change must be signed again.
    if (caller === undefined || Object.isFrozen(caller)) signed.set(caller ?? withoutCaller, { header, at });
    return header;
  }

  return (next) => (request) => {
    const header = sign(request.contextValues.get(identityKey)?.caller);
    if (header.length > maxHeaderLength) {
      throw problem(
        Code.ResourceExhausted,
        "TOO_MANY_PROJECTS",
        "The token reaches more projects than a call can carry.",
      );
    }
    request.header.set(identityHeader, header);
    return next(request);
  };
}
