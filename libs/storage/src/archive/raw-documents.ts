import mongoose from "mongoose";
import type { mongo } from "mongoose";

const { BSON } = mongoose.mongo;

/** With these, every value keeps its type: no number becomes a JavaScript number, no pattern a RegExp. */
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

/** Decodes a document such that encoding it again gives its bytes, as far as the driver can. */
export function decodeExactly(bytes: Uint8Array): mongo.Document {
  return BSON.deserialize(bytes, exact);
}

/** A document's bytes as MongoDB keeps them, with `_id` before all else. */
export function idFirst(bytes: Uint8Array): Uint8Array {
  // The type of the first element comes after the four bytes of the length, then its name.
  if (bytes[5] === 0x5f && bytes[6] === 0x69 && bytes[7] === 0x64 && bytes[8] === 0) return bytes;
  const { _id, ...others } = decodeExactly(bytes) as Record<string, unknown>;
  const id = BSON.serialize({ _id });
  const rest = BSON.serialize(others);
  const moved = Buffer.concat([id.subarray(0, -1), rest.subarray(4)]);
  moved.writeInt32LE(moved.length, 0);
  return moved;
}

/** A document on its way, with what is known of it. */
export interface Moved {
  /** `_id` first. */
  readonly bytes: Uint8Array;
  readonly document: mongo.Document;
  /** Equal for the same `_id` of the same type, and only then. */
  readonly id: string;
}

/** Reads the bytes of a document. */
export function toMoved(bytes: Uint8Array): Moved {
  const document = decodeExactly(bytes);
  const id = Buffer.from(BSON.serialize({ _id: document["_id"] as unknown })).toString("latin1");
  return { bytes, document, id };
}

/** How a message names a document. */
export function describeDocument({ document }: Moved): string {
  return `the document with the _id ${BSON.EJSON.stringify(document["_id"] as object, { relaxed: true })}`;
}

/** True when the driver sends the document as it is; what it would change is refused rather than changed. */
export function sentUnchanged({ bytes, document }: Moved): boolean {
  return Buffer.compare(idFirst(BSON.serialize(document)), bytes) === 0;
}

const maxBatchDocuments = 200;
const maxBatchBytes = 8 * 1024 * 1024;

/** Documents in order, in batches that fit into one message and one list of ids. */
export async function* splitBatches(documents: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Moved[]> {
  let batch: Moved[] = [];
  let bytes = 0;
  for await (const each of documents) {
    if (batch.length === maxBatchDocuments || (batch.length > 0 && bytes + each.length > maxBatchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(toMoved(each));
    bytes += each.length;
  }
  if (batch.length > 0) yield batch;
}
