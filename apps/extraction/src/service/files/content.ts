import { Code } from "@connectrpc/connect";
import { problem } from "@switchyard/rpc";
import type { Logger } from "@switchyard/rpc";
import { DamagedBytes } from "../../store/blobs/blobs.ts";
import type { BlobStore } from "../../store/blobs/blobs.ts";

/** The reason code for a file whose stored bytes are damaged. */
export const contentDamaged = "FILE_CONTENT_DAMAGED";

/**
 * Creates the reader of stored files, which returns bytes in pieces of at most 1 MiB. If the bytes are damaged, it throws DataLoss
 * (FILE_CONTENT_DAMAGED) with the id of the file before the first piece, and logs an error.
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
