import { integerOf } from "../arithmetic.ts";
import type { Collection } from "../catalog.ts";
import { errorFields, ServerError, serverError } from "../errors.ts";
import { parseFilter } from "../filter.ts";
import { parseProjection } from "../projection.ts";
import type { Found } from "../records.ts";
import { parseSort, type IndexField } from "../index-keys.ts";
import { parseUpdate, withId } from "../updater.ts";
import { truthOf, wholeNumber, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { checkFields, collectionName, collectionOf, documentsIn, done, foundIn, type Call } from "./command.ts";

export function insert(call: Call): Reply {
  const documents = documentsIn(call.command, "documents");
  const collection = madeCollection(call);
  let n = 0;
  const writeErrors = eachStatement(call, documents, (document) => {
    call.engine.documents.insert(call.transaction, collection, withId(document));
    n += 1;
  });
  return done({ n: integerOf(n), ...writeErrors });
}

export function update(call: Call): Reply {
  const upserted: Document[] = [];
  let [matched, modified] = [0, 0];
  const writeErrors = eachStatement(call, documentsIn(call.command, "updates"), (statement, index) => {
    checkFields("an update", statement, ["q", "u", "multi", "upsert", "arrayFilters"]);
    const result = updateMatching(call, { ...statement, query: statement["q"], update: statement["u"] });
    matched += result.matched;
    modified += result.modified;
    if (result.upserted !== undefined) upserted.push({ index: integerOf(index), _id: result.upserted["_id"] });
  });
  const n = integerOf(matched + upserted.length);
  return done({ n, nModified: integerOf(modified), ...(upserted.length > 0 ? { upserted } : {}), ...writeErrors });
}

export function remove(call: Call): Reply {
  let n = 0;
  const writeErrors = eachStatement(call, documentsIn(call.command, "deletes"), (statement) => {
    checkFields("a delete", statement, ["q", "limit"]);
    const limit = wholeNumber(statement["limit"], "limit");
    if (limit !== 0 && limit !== 1) throw serverError("FailedToParse", "The limit field in a delete must be 0 or 1");
    n += removeMatching(call, statement["q"], [], limit).length;
  });
  return done({ n: integerOf(n), ...writeErrors });
}

export function findAndModify(call: Call): Reply {
  const { query = {}, sort: sorting, update: change, upsert, new: wantsNew, remove: removes, fields } = call.command;
  const sort = parseSort(sorting ?? {});
  const project = parseProjection(fields) ?? ((document: Document) => document);
  const shown = (value: Document | undefined): Document | null => (value === undefined ? null : project(value));
  if (truthOf(removes)) {
    if (change !== undefined || truthOf(upsert) || truthOf(wantsNew)) {
      throw serverError("FailedToParse", "Cannot specify both an update and remove=true");
    }
    const found = removeMatching(call, query, sort, 1);
    return done({ lastErrorObject: { n: found.length }, value: shown(found[0]?.document()) });
  }
  if (change === undefined) throw serverError("FailedToParse", "Either an update or remove=true must be specified");
  const { matched, before, after, upserted } = updateMatching(call, { ...call.command, query, multi: false }, sort);
  return done({
    lastErrorObject: {
      n: matched > 0 || upserted !== undefined ? 1 : 0,
      updatedExisting: matched > 0,
      ...(upserted === undefined ? {} : { upserted: upserted["_id"] }),
    },
    value: shown(truthOf(wantsNew) ? (upserted ?? after) : before),
  });
}

interface UpdateResult {
  matched: number;
  modified: number;
  before?: Document;
  after?: Document;
  upserted?: Document;
}

/** Changes one document or, with `multi`, all that the statement's query finds. */
function updateMatching(call: Call, statement: Document, sort: readonly IndexField[] = []): UpdateResult {
  const filter = parseFilter(statement["query"]);
  const change = parseUpdate(statement["update"], statement["arrayFilters"]);
  const [multi, upsert] = [truthOf(statement["multi"]), truthOf(statement["upsert"])];
  if (multi && change.isReplacement) {
    throw serverError("FailedToParse", "multi update is not supported for replacement-style update");
  }
  const { documents } = call.engine;
  const result: UpdateResult = { matched: 0, modified: 0 };
  // All documents to be changed, before the first is: a change must not be met again by the scan that found it.
  const found = [...foundIn(call, { filter, sort, skip: 0, limit: multi ? 0 : 1 })];
  if (found.length === 0 && !upsert) return result;
  const collection = madeCollection(call);
  for (const each of found) {
    const before = each.document();
    const after = change.apply(before, each.position);
    result.matched += 1;
    if (documents.replace(call.transaction, collection, each, after)) result.modified += 1;
    if (!multi) Object.assign(result, { before, after });
  }
  if (found.length === 0) {
    result.upserted = change.insert(filter);
    documents.insert(call.transaction, collection, result.upserted);
  }
  return result;
}

/** Removes the documents that a query finds, and returns them. */
function removeMatching(call: Call, query: unknown, sort: readonly IndexField[], limit: number): Found[] {
  const found = [...foundIn(call, { filter: parseFilter(query), sort, skip: 0, limit })];
  for (const each of found) {
    call.engine.documents.remove(call.transaction, madeCollection(call), each);
  }
  return found;
}

function madeCollection(call: Call): Collection {
  return collectionOf(call) ?? call.engine.catalog.create(call.database, collectionName(call));
}

/** Runs the statements of a bulk write; collects their errors, and stops at the first one if they are ordered. */
function eachStatement(
  call: Call,
  statements: readonly Document[],
  run: (statement: Document, index: number) => void,
): { writeErrors?: Document[] } {
  const { ordered = true } = call.command;
  const writeErrors: Document[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      // What the client must run again as a whole is no error of one statement.
      if (!(error instanceof ServerError) || error.labels.length > 0) throw error;
      writeErrors.push({ index: integerOf(index), ...errorFields(error) });
      if (truthOf(ordered) || call.transaction !== undefined) break;
    }
  }
  return writeErrors.length === 0 ? {} : { writeErrors };
}
