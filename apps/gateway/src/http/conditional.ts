import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Enough of a SHA-256 hash that two versions of a resource never have the same one, in characters of Base64. */
const tagLength = 22;

/** Returns the weak entity tag of a body: it stands for the body in every content coding. */
export function createWeakTag(body: string | Buffer): string {
  return `W/"${hash("sha256", body, "base64url").slice(0, tagLength)}"`;
}

/** Returns whether If-None-Match names an entity tag, or is `*`. Tags are compared weakly (RFC 9110, section 8.8.3.2). */
export function matchesTag({ headers }: IncomingMessage, tag: string): boolean {
  const header = headers["if-none-match"];
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const opaque = /"[^"]*"/g;
  return header.match(opaque)?.includes(tag.replace(/^W\//, "")) ?? false;
}
