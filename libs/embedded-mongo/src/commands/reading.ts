import { Long } from "bson";
import { parsePipeline } from "../aggregation.ts";
import { integerOf } from "../arithmetic.ts";
import { serverError } from "../errors.ts";
import { parseFilter } from "../filter.ts";
import { parseProjection } from "../projection.ts";
import type { Query } from "../query.ts";
import type { Found } from "../records.ts";
import { parseSort } from "../index-keys.ts";
import { encode, fieldOf, isDocument, truthOf, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { bigintOf, checkFields, collectionName, collectionOf, countIn, done, foundIn, type Call } from "./command.ts";

const firstBatch = 101;

export function find(call: Call): Reply {
  const { command } = call;
  const project = parseProjection(command["projection"]);
  const found = foundIn(call, findQuery(command));
  const size = countIn(command, "batchSize", firstBatch);
  const bodies = project === undefined ? bodiesOf(found) : encoded(documentsOf(found), project);
  return openCursor(call, bodies, size, truthOf(command["singleBatch"]));
}

/** The query in the fields of a find command. */
export function findQuery(command: Document): Query {
  return {
    filter: parseFilter(command["filter"] ?? {}),
    sort: parseSort(command["sort"] ?? {}),
    skip: countIn(command, "skip"),
    limit: countIn(command, "limit"),
  };
}

export function aggregate(call: Call): Reply {
  const { cursor, pipeline } = call.command;
  collectionName(call);
  if (!isDocument(cursor)) throw serverError("FailedToParse", "The 'cursor' option is required");
  checkFields("aggregate's cursor", cursor, ["batchSize"]);
  const size = countIn(cursor, "batchSize", firstBatch);
  const { query, stages } = parsePipeline(pipeline);
  const found = foundIn(call, query);
  if (stages.length === 0) return openCursor(call, bodiesOf(found), size);
  const documents = stages.reduce<Iterable<Document>>((before, stage) => stage(before), documentsOf(found));
  return openCursor(call, encoded(documents), size);
}

/** Counts without a transaction: all documents without reading them, or those that a query finds. */
export function count(call: Call): Reply {
  const { command, engine } = call;
  const collection = collectionOf(call);
  if (command["query"] === undefined) {
    return done({ n: integerOf(collection === undefined ? 0 : engine.records.count(collection)) });
  }
  const found = foundIn(call, { filter: parseFilter(command["query"]), sort: [], skip: 0, limit: 0 });
  return done({ n: integerOf([...found].length) });
}

export function getMore({ command, database, cursors }: Call): Reply {
  const collection = fieldOf(command, "collection");
  if (typeof collection !== "string") throw serverError("TypeMismatch", "getMore needs a collection");
  const namespace = `${database}.${collection}`;
  const next = cursors.next(bigintOf(command["getMore"], "getMore"), namespace, countIn(command, "batchSize"));
  return { fields: {}, cursor: { ...next, namespace, batchName: "nextBatch" } };
}

export function killCursors({ command, cursors }: Call): Reply {
  const ids = command["cursors"];
  if (!Array.isArray(ids)) throw serverError("TypeMismatch", "killCursors needs an array of cursors");
  const [killed, notFound]: [Long[], Long[]] = [[], []];
  for (const id of ids.map((each) => bigintOf(each, "cursors"))) {
    (cursors.close(id) ? killed : notFound).push(Long.fromBigInt(id));
  }
  return done({ cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] });
}

function openCursor(call: Call, bodies: Iterable<Uint8Array>, size: number, only = false): Reply {
  const namespace = `${call.database}.${collectionName(call)}`;
  // A transaction's result is what it saw at once: its view may be gone when the client asks for more.
  const seen = call.transaction === undefined ? bodies : [...bodies];
  const opened = call.cursors.open({ namespace, session: call.sessionKey, bodies: seen }, size, only);
  return { fields: {}, cursor: { ...opened, namespace, batchName: "firstBatch" } };
}

function* bodiesOf(found: Iterable<Found>): Iterable<Uint8Array> {
  for (const each of found) yield each.body;
}

function* documentsOf(found: Iterable<Found>): Iterable<Document> {
  for (const each of found) yield each.document();
}

function* encoded(documents: Iterable<Document>, change = (document: Document) => document): Iterable<Uint8Array> {
  for (const document of documents) yield encode(change(document));
}
