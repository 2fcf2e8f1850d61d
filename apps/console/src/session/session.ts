import { createContext, useContext } from "react";
import type { Client, Me } from "@switchyard/client";

/** What the signed-in caller is and may do, and the client that sends requests with the caller's token. */
export interface Session {
  readonly me: Me;
  readonly client: Client;
  /** Returns a client for the calls that are made for a page before it opens, which count as calls of that page. */
  readonly ahead: (path: string) => Client;
  /** Forgets the token. `notice` tells the caller why, if it was not the caller's wish. */
  end(notice?: string): void;
}

/** The session of the pages inside. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session of the caller. Only pages behind the sign-in use it. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("a page is shown without a session");
  return session;
}

/** Returns a function that tells whether the caller's token has a permission. `organization:models:edit` includes `models:edit`. */
export function usePermissions(): (permission: string) => boolean {
  const permissions = useSession().me.token?.permissions ?? [];
  return (permission) =>
    permissions.includes(permission) ||
    (permission === "models:edit" && permissions.includes("organization:models:edit"));
}
