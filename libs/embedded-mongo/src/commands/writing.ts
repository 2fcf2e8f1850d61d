import { checkFields, errorFields, ServerError, serverError } from "../errors.ts";
import { parseProjection } from "../projection.ts";
import type { Query } from "../query.ts";
import type { Found } from "../records.ts";
import { parseUpdate, withId } from "../updater.ts";
import { truthOf, wholeNumber, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { documentsIn, foundIn, madeCollection, type Call } from "./command.ts";
import { parseQuery } from "./reading.ts";

export function insert(call: Call): Reply {
  const collection = madeCollection(call);
  return eachStatement(call, "documents", (document) => {
    call.engine.documents.insert(call.transaction, collection, withId(document));
    return 1;
  });
}

export function update(call: Call): Reply {
  const upserted: Document[] = [];
  let nModified = 0;
  const counts = eachStatement(call, "updates", (statement, index) => {
    checkFields("an update", statement, ["q", "u", "multi", "upsert", "arrayFilters"]);
    const result = updateMatching(call, { ...statement, query: statement["q"], update: statement["u"] });
    nModified += result.modified;
    if (result.upserted === undefined) return result.matched;
    upserted.push({ index, _id: result.upserted["_id"] });
    return 1;
  });
  return { ...counts, nModified, ...(upserted.length > 0 ? { upserted } : {}) };
}

export function remove(call: Call): Reply {
  return eachStatement(call, "deletes", (statement) => {
    checkFields("a delete", statement, ["q", "limit"]);
    const limit = wholeNumber(statement["limit"], "limit");
    if (limit !== 0 && limit !== 1) throw serverError("FailedToParse", "The limit field in a delete must be 0 or 1");
    return removeMatching(call, parseQuery({ filter: statement["q"], limit })).length;
  });
}

export function findAndModify(call: Call): Reply {
  const { query = {}, sort, update: change, new: wantsNew, remove: removes, fields } = call.command;
  const project = parseProjection(fields) ?? ((document: Document) => document);
  const shown = (value: Document | undefined): Document | null => (value === undefined ? null : project(value));
  if (truthOf(removes) === (change !== undefined)) {
    throw serverError("FailedToParse", "Either an update or remove=true must be specified, and not both");
  }
  if (truthOf(removes)) {
    const [found] = removeMatching(call, parseQuery({ filter: query, sort, limit: 1 }));
    return { lastErrorObject: { n: found === undefined ? 0 : 1 }, value: shown(found?.document()) };
  }
  const { matched, before, after, upserted } = updateMatching(call, { ...call.command, query });
  const lastErrorObject: Document = { n: matched > 0 || upserted !== undefined ? 1 : 0, updatedExisting: matched > 0 };
  if (upserted !== undefined) lastErrorObject["upserted"] = upserted["_id"];
  return { lastErrorObject, value: shown(truthOf(wantsNew) ? (upserted ?? after) : before) };
}

interface UpdateResult {
  matched: number;
  modified: number;
  before?: Document;
  after?: Document;
  upserted?: Document;
}

/** Changes one document or, with `multi`, all that the statement's query finds. */
function updateMatching(call: Call, statement: Document): UpdateResult {
  const change = parseUpdate(statement["update"], statement["arrayFilters"]);
  const [multi, upsert] = [truthOf(statement["multi"]), truthOf(statement["upsert"])];
  if (multi && change.isReplacement) {
    throw serverError("FailedToParse", "multi update is not supported for replacement-style update");
  }
  const query = parseQuery({ filter: statement["query"], sort: statement["sort"], limit: multi ? 0 : 1 });
  const { documents } = call.engine;
  const result: UpdateResult = { matched: 0, modified: 0 };
  // All documents to be changed, before the first is: a change must not be met again by the scan that found it.
  const found = [...foundIn(call, query)];
  if (found.length === 0 && !upsert) return result;
  const collection = madeCollection(call);
  for (const each of found) {
    const before = each.document();
    const after = change.apply(before, each.position);
    result.matched += 1;
    if (documents.replace(call.transaction, collection, each, after)) result.modified += 1;
    Object.assign(result, { before, after });
  }
  if (found.length === 0) {
    result.upserted = change.insert(query.filter);
    documents.insert(call.transaction, collection, result.upserted);
  }
  return result;
}

/** Removes the documents that a query finds, and returns them. */
function removeMatching(call: Call, query: Query): Found[] {
  const found = [...foundIn(call, query)];
  for (const each of found) {
    call.engine.documents.remove(call.transaction, madeCollection(call), each);
  }
  return found;
}

/**
 * Runs the statements of a bulk write, each of which returns how many documents it counts. Collects their errors, and stops at
 * the first one if they are ordered.
 */
function eachStatement(call: Call, field: string, run: (statement: Document, index: number) => number): Reply {
  const { ordered = true } = call.command;
  const writeErrors: Document[] = [];
  let n = 0;
  for (const [index, statement] of documentsIn(call.command, field).entries()) {
    try {
      n += run(statement, index);
    } catch (error) {
      // What the client must run again as a whole is no error of one statement.
      if (!(error instanceof ServerError) || "errorLabels" in error.details) throw error;
      writeErrors.push({ index, ...errorFields(error) });
      if (truthOf(ordered) || call.transaction !== undefined) break;
    }
  }
  return writeErrors.length === 0 ? { n } : { n, writeErrors };
}
