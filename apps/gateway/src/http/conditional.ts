import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { preconditionFailed } from "./errors.ts";

/** Enough of a SHA-256 hash that two versions of a resource never have the same one, in characters of Base64. */
const tagLength = 22;

/** Returns the weak entity tag of a body: it stands for the body in every content coding. */
export function createWeakTag(body: string | Buffer): string {
  return `W/"${hash("sha256", body, "base64url").slice(0, tagLength)}"`;
}

/**
 * Returns whether the client already has what it requests, because If-None-Match names its entity tag.
 * @throws PRECONDITION_FAILED if If-Match does not name it
 */
export function isUnchanged({ headers }: IncomingMessage, tag: string): boolean {
  if (headers["if-match"] !== undefined && !namesTag(headers["if-match"], tag)) throw preconditionFailed();
  return namesTag(headers["if-none-match"], tag);
}

/** Returns whether a request to change a resource has a precondition. */
export function isConditional({ headers }: IncomingMessage): boolean {
  return headers["if-match"] !== undefined || headers["if-none-match"] !== undefined;
}

/**
 * Checks the preconditions of a request to change a resource: If-Match must name its entity tag, and If-None-Match must not. The tag is
 * undefined if there is no resource.
 * @throws PRECONDITION_FAILED
 */
export function checkChange({ headers }: IncomingMessage, tag: string | undefined): void {
  const { "if-match": required, "if-none-match": excluded } = headers;
  if (required !== undefined && (tag === undefined || !namesTag(required, tag))) throw preconditionFailed();
  if (tag !== undefined && namesTag(excluded, tag)) throw preconditionFailed();
}

/** Returns whether a header names an entity tag, or is `*`. Tags are compared weakly (RFC 9110, section 8.8.3.2). */
function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const opaque = /"[^"]*"/g;
  return header.match(opaque)?.includes(tag.replace(/^W\//, "")) ?? false;
}
