import { createHash } from "node:crypto";
import mongoose from "mongoose";
import type { mongo } from "mongoose";
import { splitBatches, parseRawDocument, describeDocument, isSentUnchanged } from "./raw-documents.ts";
import type { RawDocument } from "./raw-documents.ts";
import { readDocuments } from "./source.ts";
import type { CollectionDescription, Source } from "./source.ts";

/** The difference between a collection of the source and the same collection of the target. */
export interface Comparison {
  /** The number of documents that are equal in source and target, byte for byte. */
  readonly same: number;
  /** The number of documents that the target lacks, without expired ones. */
  readonly missing: number;
  /** The number of documents that a TTL index has expired: MongoDB would delete them at once. */
  readonly expired: number;
  /** The SHA-256 of the target's documents in the order of `_id`. */
  readonly sha256: string;
}

/**
 * Compares a collection of the source with the target by streaming both. Throws an error that names the document if the target has a
 * different document with the same `_id`, or a document that the source does not have and that does not expire.
 */
export async function compareCollection(
  source: Source,
  described: CollectionDescription,
  target: mongo.Collection,
): Promise<Comparison> {
  const targetDocuments = readDocuments(target);
  const next = async (): Promise<RawDocument | undefined> => {
    const step = await targetDocuments.next();
    return step.done === true ? undefined : parseRawDocument(step.value);
  };
  const expires = ({ document }: RawDocument): boolean => isExpired(document, described.indexes);
  const namespace = `${described.database}.${described.name}`;
  const createMismatch = (document: RawDocument | undefined): Error =>
    new Error(
      document === undefined
        ? `${namespace} changed during the comparison; stop everything that writes to it`
        : `${namespace} in the target has ${describeDocument(document)}, which ${source.name} does not have`,
    );
  const hash = createHash("sha256");
  let [same, missing, expired] = [0, 0, 0];
  let found = await next();
  /** Advances to the document with this id. Skips documents that expire, because they may disappear at any time. */
  const advanceTo = async (id: string | undefined): Promise<boolean> => {
    while (found !== undefined && found.id !== id && expires(found)) found = await next();
    return found?.id === id;
  };
  try {
    for await (const batch of splitBatches(source.documents(described))) {
      const present = await findPresentIds(target, batch);
      for (const document of batch) {
        // Both streams are in the order of `_id`, so a document in between exists only in the target.
        if (present.has(document.id) && (await advanceTo(document.id)) && found !== undefined) {
          if (Buffer.compare(found.bytes, document.bytes) !== 0) {
            throw new Error(`${namespace} in the target differs from ${source.name} in ${describeDocument(document)}`);
          }
          hash.update(found.bytes);
          same += 1;
          found = await next();
        } else if (expires(document)) {
          expired += 1;
        } else if (present.has(document.id)) {
          throw createMismatch(found);
        } else {
          if (!isSentUnchanged(document)) {
            throw new Error(`${namespace} has ${describeDocument(document)}, which the driver cannot send unchanged`);
          }
          missing += 1;
        }
      }
    }
    if (!(await advanceTo(undefined))) throw createMismatch(found);
  } finally {
    await targetDocuments.return?.(undefined);
  }
  return { same, missing, expired, sha256: hash.digest("hex") };
}

/** Finds the ids of a batch that the target has, with the same type. */
export async function findPresentIds(target: mongo.Collection, batch: readonly RawDocument[]): Promise<Set<string>> {
  const ids = batch.map(({ document }) => document["_id"] as mongo.ObjectId);
  const cursor = target.find({ _id: { $in: ids } }, { raw: true, projection: { _id: 1 } });
  const present = new Set<string>();
  for await (const bytes of cursor) present.add(parseRawDocument(bytes as unknown as Uint8Array).id);
  return present;
}

/** Reports whether a TTL index has expired a document. As in MongoDB, the earliest of several dates counts. */
export function isExpired(document: mongo.Document, indexes: readonly mongo.Document[], now = Date.now()): boolean {
  return indexes.some(({ key, expireAfterSeconds }) => {
    if (expireAfterSeconds === undefined) return false;
    const [path = ""] = Object.keys(key as object);
    const dates = getValuesAt(document, path.split(".")).filter((value) => value instanceof Date);
    return dates.some((date) => date.getTime() + Number(expireAfterSeconds) * 1000 <= now);
  });
}

function getValuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => getValuesAt(each, path));
  const [field, ...rest] = path;
  if (field === undefined) return [value];
  return typeof value === "object" && value !== null ? getValuesAt((value as mongo.Document)[field], rest) : [];
}

/** Returns a normalized form of an index definition for comparison: sorted options, without number types. */
export function toComparableIndex(definition: mongo.Document): string {
  const options = Object.entries(definition).filter(([, value]) => value !== false);
  const sorted = Object.fromEntries(options.sort(([left], [right]) => (left < right ? -1 : 1)));
  return mongoose.mongo.BSON.EJSON.stringify(sorted, { relaxed: true });
}
