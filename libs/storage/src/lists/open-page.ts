import { getPageSize, type PageTokens } from "./page-tokens.ts";

/** The items of a page. `nextPageToken` is absent on the last page. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextPageToken?: string;
}

/** A page that a request asks for. */
export interface OpenPage {
  /** The maximum number of its items. Find one more, which shows whether another page follows. */
  readonly size: number;
  /** The position after which it begins; undefined for the first page. */
  readonly after: string | undefined;
  /** Returns the items of the page, given those that were found. `getPosition` returns the position of an item in the list. */
  take<Item>(found: readonly Item[], getPosition: (item: Item) => string): Page<Item>;
  /** Returns the token of the page after a position. */
  getToken(position: string): string;
}

/**
 * Opens the page that a request asks for. Throws InvalidArgument for a limit that is out of bounds, and for a page token of another
 * query.
 */
export function openPage(
  pageTokens: PageTokens,
  query: object,
  { limit, pageToken }: { readonly limit?: number | undefined; readonly pageToken: string },
): OpenPage {
  const size = getPageSize(limit);
  const after = pageToken === "" ? undefined : pageTokens.decode(query, pageToken)[0];
  const getToken = (position: string): string => pageTokens.encode(query, [position]);
  return {
    size,
    after,
    getToken,
    take(found, getPosition) {
      const items = found.slice(0, size);
      const last = items.at(-1);
      if (found.length <= size || last === undefined) return { items };
      return { items, nextPageToken: getToken(getPosition(last)) };
    },
  };
}
