import { createHash, randomBytes } from "node:crypto";
import { problem } from "@switchyard/rpc";
import { Code, type ConnectError } from "@connectrpc/connect";

/** The links that sign in to the console without a token. */
export interface SignInLinks {
  /** Creates a link, which is valid once and for 24 hours. `issue` issues the token when it is followed. Returns the code in the link. */
  create(issue: () => Promise<string>): string;
  /**
   * Returns the token for a code, the first time. Returns undefined for a code that is wrong, used or expired. If the token cannot be
   * issued, the code remains valid.
   */
  redeem(code: string): Promise<string | undefined>;
}

/** How long a link is valid, in milliseconds. */
const validMs = 24 * 60 * 60 * 1_000;

/** Creates an empty set of links. They are kept in memory only, and end with the process. */
export function createSignInLinks(now: () => number = Date.now): SignInLinks {
  // By the digest of the code, so that the time of a lookup says nothing about the codes.
  const links = new Map<string, { readonly issue: () => Promise<string>; readonly expiresAt: number }>();
  return {
    create(issue) {
      const code = randomBytes(24).toString("base64url");
      links.set(digest(code), { issue, expiresAt: now() + validMs });
      return code;
    },
    async redeem(code) {
      const key = digest(code);
      const link = links.get(key);
      links.delete(key);
      if (link === undefined || now() >= link.expiresAt) return undefined;
      try {
        return await link.issue();
      } catch (error) {
        links.set(key, link);
        throw error;
      }
    },
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Returns the error for a code that gives no token. */
export function signInRefused(): ConnectError {
  return problem(Code.Unauthenticated, "SIGN_IN_LINK_INVALID", "This sign-in link was used before or has expired.");
}
