import { Int32, Long } from "bson";
import { integerOf } from "../arithmetic.ts";
import { compareValues } from "../key-encoding.ts";
import { parsePipeline } from "../aggregation.ts";
import { notImplemented, serverError } from "../errors.ts";
import { parseFilter } from "../filter.ts";
import { encodeValue } from "../key-encoding.ts";
import { conditionsOf } from "../bounds.ts";
import { parseProjection } from "../projection.ts";
import type { Found, Query } from "../query.ts";
import { parseSort } from "../sorting.ts";
import { encode, fieldOf, isDocument, numberOf, truthOf, wholeNumber, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { checkFields, collectionName, done, refuseOptions, type Call, type Command } from "./command.ts";

const read = { inTransaction: true, retryable: false };
const firstBatch = 101;

/** The commands that read documents. */
export const readingCommands: { readonly [name: string]: Command } = {
  find: {
    ...read,
    fields: [
      ...[
        "filter",
        "sort",
        "projection",
        "skip",
        "limit",
        "batchSize",
        "singleBatch",
        "noCursorTimeout",
        "allowDiskUse",
      ],
      ...[
        "allowPartialResults",
        "collation",
        "let",
        "tailable",
        "awaitData",
        "returnKey",
        "showRecordId",
        "min",
        "max",
      ],
      ...["oplogReplay"],
    ],
    run: find,
  },
  getMore: { ...read, fields: ["collection", "batchSize"], run: getMore },
  killCursors: { ...read, fields: ["cursors"], run: killCursors },
  aggregate: {
    ...read,
    fields: ["pipeline", "cursor", "allowDiskUse", "collation", "let", "bypassDocumentValidation", "explain"],
    run: aggregate,
  },
  count: { ...read, inTransaction: false, fields: ["query", "limit", "skip", "collation"], run: count },
  distinct: { ...read, fields: ["key", "query", "collation"], run: distinct },
};

function find(call: Call): Reply {
  const { command } = call;
  refuseOptions("find", command, [
    ...["collation", "let", "tailable", "awaitData", "returnKey", "showRecordId", "min", "max", "oplogReplay"],
    "allowPartialResults",
  ]);
  const limit = optionalCount(command, "limit");
  const single = truthOf(command["singleBatch"]) || limit < 0;
  const project = parseProjection(fieldOf(command, "projection"));
  const query: Query = {
    filter: parseFilter(fieldOf(command, "filter") ?? {}),
    sort: parseSort(fieldOf(command, "sort") ?? {}),
    skip: atLeastZero("skip", optionalCount(command, "skip")),
    limit: Math.abs(limit),
  };
  const batchSize =
    command["batchSize"] === undefined ? firstBatch : atLeastZero("batchSize", optionalCount(command, "batchSize"));
  const found = foundIn(call, query);
  const bodies = bodiesOf(found, project);
  return openCursor(call, bodies, batchSize, single);
}

function getMore(call: Call): Reply {
  const { command, database, server } = call;
  const id = BigInt(numberOf(command["getMore"]));
  const collection = fieldOf(command, "collection");
  if (typeof collection !== "string") throw serverError("TypeMismatch", "getMore needs a collection");
  const namespace = `${database}.${collection}`;
  const batchSize = atLeastZero("batchSize", optionalCount(command, "batchSize"));
  const next = server.cursors.next(id, namespace, batchSize);
  return { fields: { ok: 1 }, cursor: { id: next.id, namespace, batchName: "nextBatch", batch: next.batch } };
}

function killCursors(call: Call): Reply {
  const ids = fieldOf(call.command, "cursors");
  if (!Array.isArray(ids)) throw serverError("TypeMismatch", "killCursors needs an array of cursors");
  const [killed, notFound]: [Long[], Long[]] = [[], []];
  for (const id of ids as unknown[]) {
    const number = BigInt(numberOf(id));
    (call.server.cursors.close(number) ? killed : notFound).push(Long.fromBigInt(number));
  }
  return done({ cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] });
}

function aggregate(call: Call): Reply {
  const { command } = call;
  collectionName(call);
  refuseOptions("aggregate", command, ["collation", "let", "explain"]);
  const cursor = fieldOf(command, "cursor");
  if (!isDocument(cursor)) throw serverError("FailedToParse", "The 'cursor' option is required");
  checkFields("aggregate's cursor", cursor, ["batchSize"]);
  const batchSize =
    cursor["batchSize"] === undefined ? firstBatch : atLeastZero("batchSize", optionalCount(cursor, "batchSize"));
  const { query, stages } = parsePipeline(fieldOf(command, "pipeline"));
  const found = foundIn(call, query);
  if (stages.length === 0) return openCursor(call, bodiesOf(found, undefined), batchSize, false);
  const result = stages.reduce<Iterable<Document>>((documents, stage) => stage(documents), documentsOf(found));
  return openCursor(call, encoded(result), batchSize, false);
}

function count(call: Call): Reply {
  refuseOptions("count", call.command, ["collation"]);
  const filter = parseFilter(fieldOf(call.command, "query") ?? {});
  const skip = atLeastZero("skip", optionalCount(call.command, "skip"));
  const limit = Math.abs(optionalCount(call.command, "limit"));
  const collection = call.server.engine.catalog.find(call.database, collectionName(call));
  let counted = 0;
  if (collection !== undefined && conditionsOf(filter).length === 0 && skip === 0 && limit === 0) {
    counted = call.server.engine.records.count(collection);
  } else {
    for (const _ of foundIn(call, { filter, sort: [], skip, limit })) counted += 1;
  }
  return done({ n: integerOf(counted) });
}

function distinct(call: Call): Reply {
  refuseOptions("distinct", call.command, ["collation"]);
  const key = fieldOf(call.command, "key");
  if (typeof key !== "string" || key === "") throw serverError("TypeMismatch", "distinct needs a key");
  const filter = parseFilter(fieldOf(call.command, "query") ?? {});
  const values = new Map<string, unknown>();
  for (const found of foundIn(call, { filter, sort: [], skip: 0, limit: 0 })) {
    for (const value of valuesAt(found.document(), key.split("."), 0)) {
      const place = encodeValue(value).toString("latin1");
      if (!values.has(place)) values.set(place, value);
    }
  }
  return done({ values: [...values.values()].sort(compareValues) });
}

function valuesAt(value: unknown, path: readonly string[], depth: number): unknown[] {
  if (depth === path.length) return Array.isArray(value) ? value : value === undefined ? [] : [value];
  const name = path[depth] as string;
  if (Array.isArray(value) && depth > 0) {
    if (/^\d+$/.test(name)) throw notImplemented("distinct by a place in an array");
    return value.flatMap((element) => (isDocument(element) ? valuesAt(element, path, depth) : []));
  }
  return isDocument(value) ? valuesAt(fieldOf(value, name), path, depth + 1) : [];
}

function foundIn(call: Call, query: Query): Iterable<Found> {
  const { engine } = call.server;
  const name = collectionName(call);
  if (call.transaction !== undefined) engine.transactions.checkSnapshot(call.transaction, call.database, name);
  const collection = engine.catalog.find(call.database, name);
  return collection === undefined ? [] : engine.query(call.transaction, collection, query);
}

function openCursor(call: Call, bodies: Iterable<Uint8Array>, batchSize: number, single: boolean): Reply {
  const namespace = `${call.database}.${collectionName(call)}`;
  const { id, batch } = call.server.cursors.open({
    namespace,
    session: call.session?.key,
    // A transaction's result is what it saw at once: its view may be gone when the client asks for more.
    bodies: call.transaction === undefined ? bodies : [...bodies],
    batchSize,
    single,
  });
  return { fields: { ok: 1 }, cursor: { id, namespace, batchName: "firstBatch", batch } };
}

function* bodiesOf(
  found: Iterable<Found>,
  project: ((document: Document) => Document) | undefined,
): Iterable<Uint8Array> {
  for (const each of found) yield project === undefined ? each.body : encode(project(each.document()));
}

function* documentsOf(found: Iterable<Found>): Iterable<Document> {
  for (const each of found) yield each.document();
}

function* encoded(documents: Iterable<Document>): Iterable<Uint8Array> {
  for (const document of documents) yield encode(document);
}

function optionalCount(command: Document, name: string): number {
  return wholeNumber(fieldOf(command, name) ?? new Int32(0), name);
}

function atLeastZero(name: string, value: number): number {
  if (value < 0) throw serverError("BadValue", `${name} value must be non-negative`);
  return value;
}
