import mongoose from "mongoose";
import type { mongo } from "mongoose";

const { BSON } = mongoose.mongo;

/** BSON options that keep the type of every value: numbers stay BSON numbers, and patterns do not become `RegExp`. */
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

/** Decodes a document so that encoding it again returns the same bytes, as far as the driver supports this. */
function decodeLosslessly(bytes: Uint8Array): mongo.Document {
  return BSON.deserialize(bytes, exact);
}

/** Returns the document as MongoDB stores it, with `_id` as the first field. */
export function putIdFirst(bytes: Uint8Array): Uint8Array {
  // The length takes four bytes. The type and the name of the first element follow.
  if (bytes[5] === 0x5f && bytes[6] === 0x69 && bytes[7] === 0x64 && bytes[8] === 0) return bytes;
  const { _id, ...others } = decodeLosslessly(bytes) as Record<string, unknown>;
  const id = BSON.serialize({ _id });
  const rest = BSON.serialize(others);
  const moved = Buffer.concat([id.subarray(0, -1), rest.subarray(4)]);
  moved.writeInt32LE(moved.length, 0);
  return moved;
}

/** A document as BSON, together with its decoded form. */
export interface RawDocument {
  /** The BSON of the document, with `_id` as the first field. */
  readonly bytes: Uint8Array;
  readonly document: mongo.Document;
  /** A key that is equal for two documents only if their `_id` has the same value and the same type. */
  readonly id: string;
}

/** Parses the BSON of a document. */
export function parseRawDocument(bytes: Uint8Array): RawDocument {
  const document = decodeLosslessly(bytes);
  const id = Buffer.from(BSON.serialize({ _id: document["_id"] as unknown })).toString("latin1");
  return { bytes, document, id };
}

/** Describes a document in an error message. */
export function describeDocument({ document }: RawDocument): string {
  return `the document with the _id ${BSON.EJSON.stringify(document["_id"] as object, { relaxed: true })}`;
}

/** Reports whether the driver sends the document unchanged. Other documents are rejected rather than altered. */
export function isSentUnchanged({ bytes, document }: RawDocument): boolean {
  return Buffer.compare(putIdFirst(BSON.serialize(document)), bytes) === 0;
}

const maxBatchDocuments = 200;
const maxBatchBytes = 1024 * 1024;

/** Splits a stream of documents into batches, each small enough for one command. */
export async function* splitBatches(documents: AsyncIterable<Uint8Array>): AsyncGenerator<readonly RawDocument[]> {
  let batch: RawDocument[] = [];
  let bytes = 0;
  for await (const each of documents) {
    if (batch.length === maxBatchDocuments || (batch.length > 0 && bytes + each.length > maxBatchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(parseRawDocument(each));
    bytes += each.length;
  }
  if (batch.length > 0) yield batch;
}
