import { getPageSize } from "@switchyard/storage";
import type { PageTokens } from "@switchyard/storage";

/** One page of a list; `nextPageToken` is not there at the end. */
export interface Page<Document> {
  readonly documents: Document[];
  readonly nextPageToken?: string;
}

/** What a list reads: `find` answers at most `limit` documents after an id, `keep` leaves out what the caller may not see. */
export interface PagedList<Document> {
  /** What the page token is bound to. */
  readonly query: object;
  readonly find: (limit: number, after: string | undefined) => Promise<Document[]>;
  readonly keep?: (documents: Document[]) => Promise<Document[]>;
}

/** Reads a page of a list. Throws InvalidArgument for a limit out of bounds and a page token of another query. */
export async function readPage<Document extends { readonly _id: string }>(
  pageTokens: PageTokens,
  { limit, pageToken }: { readonly limit?: number | undefined; readonly pageToken: string },
  { query, find, keep = (documents) => Promise.resolve(documents) }: PagedList<Document>,
): Promise<Page<Document>> {
  const size = getPageSize(limit);
  let after = pageToken === "" ? undefined : pageTokens.decode(query, pageToken)[0];
  const kept: Document[] = [];
  for (;;) {
    const found = await find(size + 1, after);
    kept.push(...(await keep(found)));
    after = found.at(-1)?._id;
    if (kept.length > size || found.length <= size) break;
  }
  const documents = kept.slice(0, size);
  const last = documents.at(-1);
  if (kept.length <= size || last === undefined) return { documents };
  return { documents, nextPageToken: pageTokens.encode(query, [last._id]) };
}
