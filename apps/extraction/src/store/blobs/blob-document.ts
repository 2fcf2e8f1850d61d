import mongoose from "mongoose";
import type { Connection, Model } from "mongoose";

/** Stored bytes, or bytes of an upload in progress. */
export interface BlobDocument {
  /** The SHA-256 of the bytes, in lower-case hexadecimal; for an upload in progress, the key of its chunks. */
  _id: string;
  size: number;
  /** The bytes themselves if they are few. Otherwise, they are in chunks. */
  bytes?: Buffer;
  /** The key of the chunks; absent where it is the hash. */
  chunkKey?: string;
  chunkCount: number;
  /** False while the upload is in progress; nothing can refer to the bytes then. */
  complete: boolean;
  /** Whether the bytes may be unreferenced and are checked again. */
  idle: boolean;
  /** When idle bytes are checked again. */
  reviewAt?: Date;
  /** How often a file that referred to the bytes was removed. Concurrent removals conflict on this field. */
  releases?: number;
  /** When the bytes were marked for removal. A transaction that refers to them must unset it, and so conflicts with the removal. */
  markedForRemovalAt?: Date | null;
}

/** Registers the collection of blobs on a connection. */
export function blobModel(connection: Connection): Model<BlobDocument> {
  const schema = new mongoose.Schema<BlobDocument>(
    {
      _id: { type: String, required: true },
      size: { type: Number, required: true },
      bytes: Buffer,
      chunkKey: String,
      chunkCount: { type: Number, required: true },
      complete: { type: Boolean, required: true },
      idle: { type: Boolean, required: true },
      reviewAt: Date,
      releases: { type: Number, default: 0 },
      markedForRemovalAt: { type: Date, default: null },
    },
    { versionKey: false },
  );
  schema.index({ idle: 1, reviewAt: 1 });
  return connection.model<BlobDocument>("Blob", schema, "blobs");
}
