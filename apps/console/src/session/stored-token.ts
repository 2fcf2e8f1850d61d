/** The place of the token. The browser forgets it with the tab; nothing else of the caller is stored. */
const place = "switchyard.token";

/** Returns the token of this tab, or undefined. */
export function readToken(): string | undefined {
  return sessionStorage.getItem(place) ?? undefined;
}

/** Keeps the token for this tab; undefined removes it. */
export function storeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, token);
}

/**
 * Takes the code of a sign-in link out of the address, so that neither the history nor a bookmark keeps it. A fragment is never sent to a
 * server. Returns undefined if the address has no code.
 */
export function takeCode(location: Location, history: History): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get("sign-in") ?? undefined;
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return code;
}
