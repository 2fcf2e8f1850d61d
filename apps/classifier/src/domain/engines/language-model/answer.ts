import { NO_ROUTE } from "./prompt.ts";

/** An answer of a language model. */
export interface RoutingAnswer {
  /** Null if the document belongs to none of the routes. */
  readonly routeId: string | null;
  readonly reason: string;
  readonly quotes: readonly string[];
}

const MAX_REASON_CHARACTERS = 200;
const MAX_QUOTES = 3;
const MAX_QUOTE_CHARACTERS = 200;

/**
 * Parses an answer. Returns undefined if it chooses none of the offered routes, and not "none" either. A reason or quotes that are missing
 * or of another type are left out, because the choice does not depend on them.
 */
export function parseAnswer(answer: unknown, routeIds: ReadonlySet<string>): RoutingAnswer | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { route, reason, quotes } = answer as Record<string, unknown>;
  if (typeof route !== "string" || (route !== NO_ROUTE && !routeIds.has(route))) return undefined;
  return {
    routeId: route === NO_ROUTE ? null : route,
    reason: typeof reason === "string" ? toLine(reason, MAX_REASON_CHARACTERS) : "",
    quotes: (Array.isArray(quotes) ? quotes : [])
      .filter((quote) => typeof quote === "string")
      .slice(0, MAX_QUOTES)
      .map((quote) => toLine(quote, MAX_QUOTE_CHARACTERS))
      .filter((quote) => quote !== ""),
  };
}

/** Returns a text in one line, without control characters, and not longer than this. */
function toLine(text: string, maxLength: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`;
}
