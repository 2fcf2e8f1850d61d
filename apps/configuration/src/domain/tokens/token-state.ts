/** The end of a token's validity: never (null), or a time. */
export interface TokenLifetime {
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** Returns the state of a token at a time. A revocation takes precedence over an expiry. */
export function getTokenState({ expiresAt, revokedAt }: TokenLifetime, now: Date): "ACTIVE" | "REVOKED" | "EXPIRED" {
  if (revokedAt !== null && revokedAt <= now) return "REVOKED";
  return expiresAt !== null && expiresAt <= now ? "EXPIRED" : "ACTIVE";
}

/** Whether the time of the last use must be written again, which happens at most once a minute. */
export function shouldRecordUse(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= 60_000;
}

/** The permissions that together allow a token to administer an organization and to grant every other permission. */
export const administratorPermissions = ["tokens:admin", "organization:admin"] as const;

/**
 * Whether a token administers its organization permanently: it has `tokens:admin` and `organization:admin`, and no expiry. An organization
 * keeps at least one active token of this kind.
 */
export function isPermanentAdministrator(
  token: Pick<TokenLifetime, "expiresAt"> & { permissions: readonly string[] },
): boolean {
  return token.expiresAt === null && administratorPermissions.every((name) => token.permissions.includes(name));
}

/** A stored secret. */
export interface KnownSecret {
  readonly digest: string;
  readonly kid: string;
}

/** The secrets of a token: the current one, and earlier ones, each of which is valid until a time. */
export interface TokenSecrets extends KnownSecret {
  readonly previousSecrets?: readonly (KnownSecret & { readonly until: Date })[];
}

/** Returns the secrets that are valid at a time, beginning with the current one. */
export function getValidSecrets(token: TokenSecrets, now: Date): KnownSecret[] {
  return [token, ...getValidPreviousSecrets(token.previousSecrets ?? [], now)];
}

/** Returns the earlier secrets that are still valid at a time. */
export function getValidPreviousSecrets<Previous extends { readonly until: Date }>(
  previous: readonly Previous[],
  now: Date,
): Previous[] {
  return previous.filter(({ until }) => until > now);
}
