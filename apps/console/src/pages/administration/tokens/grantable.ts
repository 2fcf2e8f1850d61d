import type { Token } from "@switchyard/client";

/** All permissions, in the order in which they are offered. */
export const permissions = [
  "documents:read",
  "documents:write",
  "classify",
  "models:read",
  "models:edit",
  "benchmarks:read",
  "benchmarks:run",
  "tokens:admin",
  "organization:models:edit",
  "organization:admin",
] as const;

/** Returns the permissions that a caller can grant to a token of a scope: its own ones, and none of the organization to a project's token. */
export function getGrantable(may: (permission: string) => boolean, scope: Token["scope"]): string[] {
  return permissions.filter(
    (permission) => may(permission) && (scope === "ORGANIZATION" || !permission.startsWith("organization:")),
  );
}

/**
 * Whether a caller may rotate a token, as far as its permissions say: its own always, others as if it issued them. Those of other users are
 * only rotated by administrators of the organization.
 */
export function mayRotate(
  { id, userId, status, scope, permissions: held }: Pick<Token, "id" | "userId" | "status" | "scope" | "permissions">,
  own: Pick<Token, "id" | "userId" | "scope"> | null,
  may: (permission: string) => boolean,
): boolean {
  if (status !== "ACTIVE") return false;
  if (id === own?.id) return true;
  if (userId !== own?.userId && !may("organization:admin")) return false;
  return held.every(may) && (scope === "PROJECT" || own?.scope === "ORGANIZATION");
}

/** Returns the time after a number of days, as a new token expires; undefined if it never does. */
export function toExpiry(days: string, now: Date): string | undefined {
  return days === "" ? undefined : new Date(now.getTime() + Number(days) * 86_400_000).toISOString();
}
