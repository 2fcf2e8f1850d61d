import { createHash } from "node:crypto";
import mongoose from "mongoose";
import type { mongo } from "mongoose";
import { splitBatches, toMoved, describeDocument, sentUnchanged } from "./raw-documents.ts";
import type { Moved } from "./raw-documents.ts";
import { readDocuments } from "./source.ts";
import type { CollectionDescription, Source } from "./source.ts";

/** What a target has of a collection. */
export interface Comparison {
  /** The documents of the source that the target has, byte for byte. */
  readonly same: number;
  readonly missing: number;
  /** Missing, but past the time of a TTL index: MongoDB would remove them at once. */
  readonly expired: number;
  /** SHA-256 of the target's documents in the order of `_id`. */
  readonly sha256: string;
}

/**
 * Compares a collection with its target, document by document, over streams of both. Throws, naming the document, where the target
 * has another one under an `_id` of the source, or one that the source does not have (and that does not expire).
 */
export async function compareCollection(
  source: Source,
  described: CollectionDescription,
  target: mongo.Collection,
): Promise<Comparison> {
  const there = readDocuments(target);
  const next = async (): Promise<Moved | undefined> => {
    const step = await there.next();
    return step.done === true ? undefined : toMoved(step.value);
  };
  const ends = ({ document }: Moved): boolean => isExpired(document, described.indexes);
  const place = `${described.database}.${described.name}`;
  const foreign = (document: Moved | undefined): Error =>
    new Error(
      document === undefined
        ? `${place} changes while it is compared: end what writes to it`
        : `${place} in the target has ${describeDocument(document)}, which ${source.name} does not have`,
    );
  const hash = createHash("sha256");
  let [same, missing, expired] = [0, 0, 0];
  let found = await next();
  /** The target's next document, which must be the one with this id; past what expires, as that may go on either side at any time. */
  const reach = async (id: string | undefined): Promise<boolean> => {
    while (found !== undefined && found.id !== id && ends(found)) found = await next();
    return found?.id === id;
  };
  try {
    for await (const batch of splitBatches(source.documents(described))) {
      const present = await idsPresent(target, batch);
      for (const document of batch) {
        // Both are in the order of `_id`, so what comes in between is only there.
        if (present.has(document.id) && (await reach(document.id)) && found !== undefined) {
          if (Buffer.compare(found.bytes, document.bytes) !== 0) {
            throw new Error(`${place} in the target differs from ${source.name} in ${describeDocument(document)}`);
          }
          hash.update(found.bytes);
          same += 1;
          found = await next();
        } else if (ends(document)) {
          expired += 1;
        } else if (present.has(document.id)) {
          throw foreign(found);
        } else {
          if (!sentUnchanged(document)) {
            throw new Error(`${place} has ${describeDocument(document)}, which the driver cannot send unchanged`);
          }
          missing += 1;
        }
      }
    }
    if (!(await reach(undefined))) throw foreign(found);
  } finally {
    await there.return?.(undefined);
  }
  return { same, missing, expired, sha256: hash.digest("hex") };
}

/** Which ids of a batch the target has, of the same type. */
export async function idsPresent(target: mongo.Collection, batch: readonly Moved[]): Promise<Set<string>> {
  const ids = batch.map(({ document }) => document["_id"] as mongo.ObjectId);
  const cursor = target.find({ _id: { $in: ids } }, { raw: true, projection: { _id: 1 } });
  const present = new Set<string>();
  for await (const bytes of cursor) present.add(toMoved(bytes as unknown as Uint8Array).id);
  return present;
}

/** True when a TTL index lets a document end before now. As in MongoDB, of several dates the first counts. */
export function isExpired(document: mongo.Document, indexes: readonly mongo.Document[], now = Date.now()): boolean {
  return indexes.some(({ key, expireAfterSeconds }) => {
    if (expireAfterSeconds === undefined) return false;
    const [path = ""] = Object.keys(key as object);
    const dates = valuesAt(document, path.split(".")).filter((value) => value instanceof Date);
    return dates.some((date) => date.getTime() + Number(expireAfterSeconds) * 1000 <= now);
  });
}

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, path));
  const [field, ...rest] = path;
  if (field === undefined) return [value];
  return typeof value === "object" && value !== null ? valuesAt((value as mongo.Document)[field], rest) : [];
}

/** How an index is written for comparing: its options in one order, numbers whatever their type. */
export function getIndexName(definition: mongo.Document): string {
  const options = Object.entries(definition).filter(([, value]) => value !== false);
  const sorted = Object.fromEntries(options.sort(([left], [right]) => (left < right ? -1 : 1)));
  return mongoose.mongo.BSON.EJSON.stringify(sorted, { relaxed: true });
}
