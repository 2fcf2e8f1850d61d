/** When a token stops being accepted: never (null), or from that moment on. */
export interface TokenLifetime {
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** Whether a token is accepted at a moment; a revocation counts before an expiry. */
export function tokenState({ expiresAt, revokedAt }: TokenLifetime, now: Date): "ACTIVE" | "REVOKED" | "EXPIRED" {
  if (revokedAt !== null && revokedAt <= now) return "REVOKED";
  return expiresAt !== null && expiresAt <= now ? "EXPIRED" : "ACTIVE";
}

/** Whether the moment of last use is to be written again: at most once a minute. */
export function isUseWorthWriting(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= 60_000;
}

/** The permissions that together let a token administer an organization and give out every other permission. */
export const administratorPermissions = ["tokens:admin", "organization:admin"] as const;

/**
 * Whether a token administers its organization for good: it holds `tokens:admin` and `organization:admin`, and has no expiry. An
 * organization keeps at least one such token that is active (api.md 7).
 */
export function administersForGood(
  token: Pick<TokenLifetime, "expiresAt"> & { permissions: readonly string[] },
): boolean {
  return token.expiresAt === null && administratorPermissions.every((name) => token.permissions.includes(name));
}

/** What is known of a secret. */
export interface KnownSecret {
  readonly digest: string;
  readonly kid: string;
}

/** A token's secrets: the current one, and those before it, each valid until a moment. */
export interface TokenSecrets extends KnownSecret {
  readonly previousSecrets?: readonly (KnownSecret & { readonly until: Date })[];
}

/** The secrets that are accepted at a moment, the current one first. */
export function liveSecrets(token: TokenSecrets, now: Date): KnownSecret[] {
  return [token, ...livePrevious(token.previousSecrets ?? [], now)];
}

/** The replaced secrets that are still accepted at a moment. */
export function livePrevious<Previous extends { readonly until: Date }>(
  previous: readonly Previous[],
  now: Date,
): Previous[] {
  return previous.filter(({ until }) => until > now);
}
