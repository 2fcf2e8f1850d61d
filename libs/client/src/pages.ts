import type { Call } from "./call.ts";
import type { Api, calls } from "./gen/api.ts";
import { parseJsonBody, type Answer } from "./send.ts";

/** The names of the calls with paged responses. */
export type PagedCall = {
  [Name in keyof Api]: (typeof calls)[Name] extends { readonly page: string } ? Name : never;
}[keyof Api];

/** The type of the items in the list of a call. */
export type PageItem<Name extends PagedCall> = Api[Name]["answer"] extends readonly (infer Item)[]
  ? Item
  : Api[Name]["answer"] extends { readonly data: readonly (infer Item)[] }
    ? Item
    : never;

/** Yields the items of a list. A page is requested when the previous one has been consumed. */
export async function* getPages<Item>(
  call: Call,
  request: object,
  exchange: (request: object) => Promise<Answer>,
): AsyncGenerator<Item, void, void> {
  let pageToken: string | undefined;
  do {
    // A response that is an array is not paged unless a page size is requested.
    const size = call.page === "link" ? { limit: 500 } : {};
    const answer = await exchange({ ...size, ...request, ...(pageToken === undefined ? {} : { pageToken }) });
    const body = parseJsonBody(answer);
    yield* (call.page === "link" ? body : (body as { data: unknown }).data) as readonly Item[];
    pageToken = nextPageToken(call, answer, body);
  } while (pageToken !== undefined);
}

/** Returns the token of the next page; undefined at the end. */
export function nextPageToken(call: Call, answer: Pick<Answer, "headers">, body: unknown): string | undefined {
  if (call.page === "token") return (body as { nextPageToken?: string | null }).nextPageToken ?? undefined;
  // The host in the link may be known only to the server, so only the token is used.
  const next = /<([^>]*)>;\s*rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  const token = next === undefined ? null : new URL(next, "http://host").searchParams.get("pageToken");
  return token ?? undefined;
}
