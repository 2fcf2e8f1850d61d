import type { Call } from "./call.ts";
import type { Api, calls } from "./gen/api.ts";
import { parseJsonBody, type Answer } from "./send.ts";

/** The names of the calls that answer page by page. */
export type PagedCall = {
  [Name in keyof Api]: (typeof calls)[Name] extends { readonly page: string } ? Name : never;
}[keyof Api];

/** What the list of a call holds. */
export type PageItem<Name extends PagedCall> = Api[Name]["answer"] extends readonly (infer Item)[]
  ? Item
  : Api[Name]["answer"] extends { readonly data: readonly (infer Item)[] }
    ? Item
    : never;

/** The items of a list: a page is asked for when the one before was read to its end. */
export async function* getPages<Item>(
  call: Call,
  request: object,
  exchange: (request: object) => Promise<Answer>,
): AsyncGenerator<Item, void, void> {
  let pageToken: string | undefined;
  do {
    // A bare array comes whole when no page is asked for, however long it is.
    const size = call.page === "link" ? { limit: 500 } : {};
    const answer = await exchange({ ...size, ...request, ...(pageToken === undefined ? {} : { pageToken }) });
    const body = parseJsonBody(answer);
    yield* (call.page === "link" ? body : (body as { data: unknown }).data) as readonly Item[];
    pageToken = nextPageToken(call, answer, body);
  } while (pageToken !== undefined);
}

/** The token of the page after this answer; undefined at the end. */
export function nextPageToken(call: Call, answer: Pick<Answer, "headers">, body: unknown): string | undefined {
  if (call.page === "token") return (body as { nextPageToken?: string | null }).nextPageToken ?? undefined;
  // The link's host may be one that only the server knows, so only the token is taken from it.
  const next = /<([^>]*)>;\s*rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  const token = next === undefined ? null : new URL(next, "http://host").searchParams.get("pageToken");
  return token ?? undefined;
}
