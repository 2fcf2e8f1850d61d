import mongoose from "mongoose";
import type { Connection, Model } from "mongoose";

/** Stored bytes, or bytes that are still being taken in. The bytes themselves are in chunks. */
export interface BlobDocument {
  /** The SHA-256 of the bytes, in lower-case hexadecimal; of bytes that are being taken in, the key of their chunks. */
  _id: string;
  size: number;
  /** The key of the chunks; absent where it is the hash. */
  chunkKey?: string;
  chunkCount: number;
  /** False while the bytes are being taken in: then nobody can refer to them. */
  complete: boolean;
  /** Whether perhaps no file refers to the bytes: it is then looked at again. */
  idle: boolean;
  /** When it is looked at again, where it is idle. */
  reviewAt?: Date;
  /** How often a file that referred to the bytes was removed: two removals at once meet in it. */
  releases?: number;
  /** Since when the bytes are to be removed. Whoever refers to them from then on must unset it, and so meets the removal. */
  condemnedAt?: Date | null;
}

/** Registers the collection of blobs on a connection. */
export function blobModel(connection: Connection): Model<BlobDocument> {
  const schema = new mongoose.Schema<BlobDocument>(
    {
      _id: { type: String, required: true },
      size: { type: Number, required: true },
      chunkKey: String,
      chunkCount: { type: Number, required: true },
      complete: { type: Boolean, required: true },
      idle: { type: Boolean, required: true },
      reviewAt: Date,
      releases: { type: Number, default: 0 },
      condemnedAt: { type: Date, default: null },
    },
    { versionKey: false },
  );
  schema.index({ idle: 1, reviewAt: 1 });
  return connection.model<BlobDocument>("Blob", schema, "blobs");
}
