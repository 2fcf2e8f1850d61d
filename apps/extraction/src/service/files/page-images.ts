import { LRUCache } from "lru-cache";
import { Code } from "@connectrpc/connect";
import { invalid, problem, unavailable } from "@switchyard/rpc";
import { pageTexts } from "../../reading/index.ts";
import type { DocumentReader, Rendering } from "../../reading/index.ts";
import { joinChunks } from "../../store/blobs/chunks.ts";
import type { FileRecord } from "../../store/files.ts";
import type { DocumentTextCache } from "./text-cache.ts";

/** The dependencies of pictures of pages. */
export interface PageImageDependencies {
  textCache: Pick<DocumentTextCache, "get">;
  /** The bytes of a stored file, whole. */
  getContent: (file: { _id: string; sha256: string }) => AsyncIterable<Uint8Array>;
  reader: Pick<DocumentReader, "render">;
}

/** The default width of a picture, in pixels. */
const defaultWidth = 1_000;
const widths = { least: 16, most: 4_000 } as const;
/** People look at the same pages again and again. */
const recent = { maxBytes: 32 * 1024 * 1024, ttlMs: 10 * 60 * 1000 } as const;

/**
 * Returns the picture of a page as a PNG. Throws InvalidArgument (INVALID_REQUEST for the width, UNSUPPORTED_FORMAT) and NotFound
 * (PAGE_NOT_FOUND).
 */
export type PageImages = (
  file: FileRecord,
  page: { number: number; width: number | undefined },
  signal: AbortSignal,
) => Promise<Uint8Array>;

/** Creates the pictures of the pages of files. They are turned as their text was read, and cached in memory by the hash of the file. */
export function createPageImages({ textCache, getContent, reader }: PageImageDependencies): PageImages {
  const images = new LRUCache<string, Uint8Array>({
    maxSize: recent.maxBytes,
    sizeCalculation: ({ length }) => length + 1,
    ttl: recent.ttlMs,
  });

  async function draw(
    file: FileRecord,
    page: { number: number; width: number },
    signal: AbortSignal,
  ): Promise<Rendering> {
    const { text } = await textCache.get(file, signal);
    const read = pageTexts(text).find(({ number }) => number === page.number);
    const rotation = read?.attachment === "" ? read.rotation : 0;
    let failed: { error: unknown } | undefined;
    const bytes = () =>
      joinChunks(getContent(file), file.size).catch((error: unknown) => {
        failed = { error };
        throw error;
      });
    try {
      return await reader.render({ ...page, rotation, bytes }, signal);
    } catch (error) {
      if (failed !== undefined) throw failed.error;
      if (signal.aborted) throw error;
      // The document is not the cause: the queue is full, or the service is stopping.
      throw unavailable("READER_UNAVAILABLE", "The page cannot be drawn at the moment.", error);
    }
  }

  return async (file, { number, width = defaultWidth }, signal) => {
    if (width < widths.least || width > widths.most) {
      throw invalid([{ field: "width", message: `must be between ${widths.least} and ${widths.most}` }]);
    }
    const missing = () => {
      const message = `The file has no page ${number}.`;
      return problem(Code.NotFound, "PAGE_NOT_FOUND", message, { violations: [{ field: "number", message }] });
    };
    if (number < 1) throw missing();
    const key = [file.sha256, number, width].join(" ");
    const known = images.get(key);
    if (known !== undefined) return known;
    const drawn = await draw(file, { number, width }, signal);
    if (drawn.kind === "missing") throw missing();
    if (drawn.kind === "unsupported") throw problem(Code.InvalidArgument, "UNSUPPORTED_FORMAT", drawn.message);
    images.set(key, drawn.png);
    return drawn.png;
  };
}
