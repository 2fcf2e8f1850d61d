import { openPage, type Page, type PageTokens } from "@switchyard/storage";

/** A list that is read in pages. */
export interface PagedList<Document> {
  /** The query to which page tokens are bound. */
  readonly query: object;
  /** Finds at most `limit` documents after an id. */
  readonly find: (limit: number, after: string | undefined) => Promise<Document[]>;
  /** Returns the documents that the caller may see; all of them by default. */
  readonly keep?: (documents: Document[]) => Promise<Document[]>;
}

/** Reads a page of a list. Throws like `openPage`. */
export async function readPage<Document extends { readonly _id: string }>(
  pageTokens: PageTokens,
  request: { readonly limit?: number | undefined; readonly pageToken: string },
  { query, find, keep = (documents) => Promise.resolve(documents) }: PagedList<Document>,
): Promise<Page<Document>> {
  const page = openPage(pageTokens, query, request);
  let { after } = page;
  const kept: Document[] = [];
  for (;;) {
    const found = await find(page.size + 1, after);
    kept.push(...(await keep(found)));
    after = found.at(-1)?._id;
    if (kept.length > page.size || found.length <= page.size) break;
  }
  return page.take(kept, ({ _id }) => _id);
}
