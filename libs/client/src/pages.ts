import type { Call } from "./call.ts";
import type { Api, calls } from "./gen/api.ts";
import { parseJsonBody, type ClientResponse } from "./send.ts";

/** The names of the calls with paged responses. */
export type PagedCall = {
  [Name in keyof Api]: (typeof calls)[Name] extends { readonly page: string } ? Name : never;
}[keyof Api];

/** The type of the items in the list of a call. */
export type PageItem<Name extends PagedCall> = Api[Name]["response"] extends readonly (infer Item)[]
  ? Item
  : Api[Name]["response"] extends { readonly data: readonly (infer Item)[] }
    ? Item
    : never;

/** Yields the items of a list. A page is requested when the previous one has been consumed. */
export async function* getPages<Item>(
  call: Call,
  request: object,
  exchange: (request: object) => Promise<ClientResponse>,
): AsyncGenerator<Item, void, void> {
  let pageToken: string | undefined;
  do {
    // A response that is an array is not paged unless a page size is requested.
    const size = call.page === "link" ? { limit: 500 } : {};
    const response = await exchange({ ...size, ...request, ...(pageToken === undefined ? {} : { pageToken }) });
    const body = parseJsonBody(response);
    yield* (call.page === "link" ? body : (body as { data: unknown }).data) as readonly Item[];
    pageToken = nextPageToken(call, response, body);
  } while (pageToken !== undefined);
}

/** Returns the token of the next page; undefined at the end. */
export function nextPageToken(
  call: Call,
  response: Pick<ClientResponse, "headers">,
  body: unknown,
): string | undefined {
  if (call.page === "token") return (body as { nextPageToken?: string | null }).nextPageToken ?? undefined;
  // The host in the link may be known only to the server, so only the token is used.
  const next = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  const token = next === undefined ? null : new URL(next, "http://host").searchParams.get("pageToken");
  return token ?? undefined;
}
