import { isDeepStrictEqual } from "node:util";
import { Int32 } from "bson";
import { checkFields, notImplemented, serverError } from "../errors.ts";
import { parseFilter } from "../query/filter.ts";
import { parseFields } from "../indexes/index-definition.ts";
import { parseProjection, type Projection } from "../query/projection.ts";
import type { Query } from "../query/query.ts";
import type { StoredDocument } from "../storage/records.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import { encode, isDocument, getKind, toText, toBoolean, parseWholeNumber, type Document } from "../values/values.ts";
import type { Reply } from "../wire/wire.ts";
import { collectionName, findDocuments, type Call } from "./command.ts";

export function find(call: Call): Steps<Reply> {
  const { command } = call;
  const project = parseProjection(command["projection"]);
  const found = findDocuments(call, parseQuery({ filter: {}, ...command }));
  return openCursor(call, collectionName(call), toBodies(found, project), command);
}

/** Parses the query in the fields of a command. All fields except the filter are optional. */
export function parseQuery(fields: Document): Query {
  const { filter, sort = {} } = fields;
  return {
    filter: parseFilter(filter),
    sort: parseFields("a sort", sort),
    skip: parseWholeNumber(fields["skip"] ?? 0, "skip"),
    limit: parseWholeNumber(fields["limit"] ?? 0, "limit"),
  };
}

export function aggregate(call: Call): Steps<Reply> {
  const { query, group } = parsePipeline(call.command["pipeline"]);
  const found = findDocuments(call, { ...query, onlyCounted: group !== undefined });
  const bodies = group === undefined ? toBodies(found) : countRows(found, group["_id"]);
  return openCursor(call, collectionName(call), bodies, cursorOptions(call));
}

/** The stages that a pipeline may have, each once and in this order. */
export const stages: readonly string[] = ["$match", "$sort", "$skip", "$limit", "$group"];

/** The accumulators that `$group` may have. */
export const accumulators: readonly string[] = ["$sum"];

/** The fields of the option `cursor`. */
export const cursorFields: readonly string[] = ["batchSize"];

/** Parses a pipeline as a query, which may end with a `$group` that counts the documents, as `countDocuments` sends it. */
function parsePipeline(pipeline: unknown): { readonly query: Query; readonly group: Document | undefined } {
  if (!Array.isArray(pipeline) || !pipeline.every(isDocument)) {
    throw serverError("TypeMismatch", "'pipeline' must be an array of documents");
  }
  let last = -1;
  for (const stage of pipeline) {
    const name = Object.keys(stage).join();
    if (stages.indexOf(name) <= last) throw notImplemented(`the aggregation stage ${name} at this place`);
    last = stages.indexOf(name);
  }
  const { $match = {}, $sort, $skip, $limit, $group } = Object.assign({}, ...pipeline) as Document;
  const query = parseQuery({ filter: $match, sort: $sort, skip: $skip, limit: $limit });
  if ($limit !== undefined && query.limit === 0) throw serverError("Location15958", "the limit must be positive");
  return { query, group: $group === undefined ? undefined : countingGroup($group) };
}

function countingGroup(group: unknown): Document {
  const { _id, ...fields } = isDocument(group) ? group : {};
  const isOne = _id === null || getKind(_id) === "number";
  if (isOne && isDeepStrictEqual(fields, { n: { $sum: new Int32(1) } })) return { _id };
  throw notImplemented(`the aggregation stage { $group: ${toText(group)} }`);
}

export function* getMore({ command, database, cursors }: Call): Steps<Reply> {
  const { collection } = command;
  if (typeof collection !== "string") throw serverError("TypeMismatch", "getMore needs a collection");
  const namespace = `${database}.${collection}`;
  const size = parseWholeNumber(command["batchSize"] ?? 0, "batchSize");
  const next = yield* cursors.next(parseWholeNumber(command["getMore"], "getMore"), namespace, size);
  return { cursor: { ...next, namespace, batchName: "nextBatch" } };
}

export function killCursors({ command, cursors }: Call): Reply {
  const ids = command["cursors"];
  if (!Array.isArray(ids)) throw serverError("TypeMismatch", "killCursors needs an array of cursors");
  const cursorsKilled = ids.filter((id) => cursors.close(parseWholeNumber(id, "cursors")));
  const cursorsNotFound = ids.filter((id) => !cursorsKilled.includes(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}

/** Returns the options in the field `cursor` of a command. */
export function cursorOptions({ command: { cursor = {} } }: Call): Document {
  if (!isDocument(cursor)) throw serverError("TypeMismatch", "'cursor' must be a document");
  checkFields("a cursor", cursor, cursorFields);
  return cursor;
}

/** Replies with the first batch of a result, and keeps a cursor for the rest. */
export function* openCursor(
  call: Call,
  collection: string,
  bodies: Iterable<Uint8Array | undefined>,
  options: Document,
): Steps<Reply> {
  const { cursors, database, sessionKey: session, transaction } = call;
  const namespace = `${database}.${collection}`;
  // In a transaction, the complete result is read at once, because the view may no longer exist when the client requests more.
  const seen = transaction === undefined ? bodies : yield* collectRows(bodies);
  const size = parseWholeNumber(options["batchSize"] ?? 101, "batchSize");
  const opened = yield* cursors.open(namespace, session, seen, size, toBoolean(options["singleBatch"]));
  return { cursor: { ...opened, namespace, batchName: "firstBatch" } };
}

/** Collects all rows. */
export function* collectRows<Row>(rows: Iterable<Row | undefined>): Steps<Row[]> {
  const result: Row[] = [];
  for (const row of rows) {
    if (row === undefined) yield undefined;
    else result.push(row);
  }
  return result;
}

function* toBodies(
  found: Iterable<StoredDocument | undefined>,
  project?: Projection,
): Iterable<Uint8Array | undefined> {
  for (const each of found) {
    yield each === undefined || project === undefined ? each?.body : encode(project(each.document()));
  }
}

function* countRows(found: Iterable<StoredDocument | undefined>, _id: unknown): Iterable<Uint8Array | undefined> {
  let n = 0;
  for (const each of found) {
    if (each === undefined) yield undefined;
    else n += 1;
  }
  if (n > 0) yield encode({ _id, n });
}
