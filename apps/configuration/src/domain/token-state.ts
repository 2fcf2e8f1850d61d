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
