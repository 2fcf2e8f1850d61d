import { Code } from "@connectrpc/connect";
import { problem } from "@switchyard/rpc";
import type { Logger } from "@switchyard/rpc";
import { DamagedBytes } from "../../store/blobs/blobs.ts";
import type { BlobStore } from "../../store/blobs/blobs.ts";

/** The reason with which a file is refused whose bytes are not those that were stored. */
export const contentDamaged = "FILE_CONTENT_DAMAGED";

/**
 * The bytes of stored files, in pieces of at most 1 MiB. Throws DataLoss (FILE_CONTENT_DAMAGED), which names the file, before the first
 * piece when they are not those that were stored; the log says so too.
 */
export function createContentReader(blobs: Pick<BlobStore, "read">, logger: Pick<Logger, "error">) {
  return async function* getContent({ _id, sha256 }: { _id: string; sha256: string }): AsyncGenerator<Uint8Array> {
    try {
      yield* blobs.read(sha256);
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error;
      logger.error({ fileId: _id, sha256, err: error }, "the stored content of a file is damaged");
      const message = `The stored content of the file ${_id} is damaged: it is not what was stored.`;
      throw problem(Code.DataLoss, contentDamaged, message, { metadata: { fileId: _id } });
    }
  };
}
