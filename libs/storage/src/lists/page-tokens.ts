import { invalid } from "@switchyard/rpc";
import { createHmac, timingSafeEqual } from "node:crypto";

/** Opaque tokens with the position at which a page ended, bound to the query. */
export interface PageTokens {
  /** Returns the token of the page after a position. */
  encode(query: unknown, position: readonly string[]): string;
  /** Returns the position in a token. Throws InvalidArgument (field pageToken) if the token does not belong to the query. */
  decode(query: unknown, token: string): readonly string[];
}

/** The fields that may differ between the pages of a query. */
const notPartOfTheQuery: readonly string[] = ["limit", "pageToken"];
const signatureBytes = 16;

/** Creates page tokens that are signed with a secret (HMAC-SHA-256, truncated to 128 bits). Queries are compared by field, in any order. */
export function createPageTokens(secret: Uint8Array): PageTokens {
  function sign(query: unknown, payload: string): Buffer {
    const text = `${payload}\n${canonical(withoutPaging(query))}`;
    return createHmac("sha256", secret).update(text, "utf8").digest().subarray(0, signatureBytes);
  }
  return {
    encode(query, position) {
      const payload = Buffer.from(JSON.stringify(position)).toString("base64url");
      return `${payload}.${sign(query, payload).toString("base64url")}`;
    },
    decode(query, token) {
      const [payload, signature, ...rest] = token.split(".");
      if (payload === undefined || signature === undefined || rest.length > 0) throw invalidPageToken();
      const given = Buffer.from(signature, "base64url");
      if (given.length !== signatureBytes || !timingSafeEqual(given, sign(query, payload))) throw invalidPageToken();
      return JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as readonly string[];
    },
  };
}

/** Returns the size of a page, 50 by default. Throws InvalidArgument (field limit) if it is not 1 to 500. */
export function getPageSize(limit: number | undefined): number {
  if (limit === undefined) return 50;
  if (Number.isInteger(limit) && limit >= 1 && limit <= 500) return limit;
  throw invalid([{ field: "limit", message: "must be 1 to 500" }]);
}

function withoutPaging(query: unknown): unknown {
  if (typeof query !== "object" || query === null) return query;
  return Object.fromEntries(Object.entries(query).filter(([key]) => !notPartOfTheQuery.includes(key)));
}

/** Serializes a value as JSON with sorted keys and without undefined fields. */
function canonical(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${fields.join(",")}}`;
}

function invalidPageToken(): Error {
  return invalid([{ field: "pageToken", message: "is not a page token of this query" }]);
}
