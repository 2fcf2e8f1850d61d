import type { Collection } from "../storage/catalog.ts";
import { checkFields, ServerError, serverError } from "../errors.ts";
import { compileFilter } from "../query/matcher.ts";
import { parseProjection } from "../query/projection.ts";
import { getPlace, type Place, type Query } from "../query/query.ts";
import type { StoredDocument } from "../storage/records.ts";
import { WaitForTransaction } from "../scheduling/wait-for-transaction.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import { parseUpdate, withId } from "../update/updater.ts";
import { toBoolean, parseWholeNumber, type Document } from "../values/values.ts";
import type { Reply } from "../wire/wire.ts";
import { addError, toProgress, type BulkProgress } from "./bulk-progress.ts";
import { findCollection, parseDocuments, findDocuments, getOrCreateCollection, type Call } from "./command.ts";
import { parseQuery } from "./reading.ts";

/** The fields of a statement of the command `update`. */
export const updateFields: readonly string[] = ["q", "u", "multi", "upsert", "arrayFilters"];

/** The fields of a statement of the command `delete`. */
export const deleteFields: readonly string[] = ["q", "limit"];

export function* insert(call: Call): Steps<Reply> {
  getOrCreateCollection(call);
  return yield* eachStatement(call, "documents", function* (document) {
    const identified = withId(document);
    yield* applyWhenUnlocked(call, () => {
      call.engine.documents.insert(call.transaction, getOrCreateCollection(call), identified);
    });
    return 1;
  });
}

export function* update(call: Call): Steps<Reply> {
  return yield* eachStatement(call, "updates", function* (statement, progress) {
    checkFields("an update", statement, updateFields);
    const result = yield* updateMatching(call, { ...statement, query: statement["q"], update: statement["u"] });
    progress.nModified += result.modified;
    if (result.upserted === undefined) return result.matched;
    progress.upserted.push({ index: progress.done, _id: result.upserted["_id"] });
    return 1;
  });
}

export function* remove(call: Call): Steps<Reply> {
  return yield* eachStatement(call, "deletes", function* (statement) {
    checkFields("a delete", statement, deleteFields);
    const limit = parseWholeNumber(statement["limit"], "limit");
    if (limit !== 0 && limit !== 1) throw serverError("FailedToParse", "The limit field in a delete must be 0 or 1");
    return (yield* removeMatching(call, parseQuery({ filter: statement["q"], limit }))).removed;
  });
}

export function* findAndModify(call: Call): Steps<Reply> {
  const { query = {}, sort, update: change, new: wantsNew, remove: removes, fields } = call.command;
  const project = parseProjection(fields) ?? ((document: Document) => document);
  const shown = (value: Document | undefined): Document | null => (value === undefined ? null : project(value));
  if (toBoolean(removes) === (change !== undefined)) {
    throw serverError("FailedToParse", "Either an update or remove=true must be specified, and not both");
  }
  if (toBoolean(removes)) {
    for (const option of ["new", "upsert", "arrayFilters"]) {
      if (call.command[option] === undefined || call.command[option] === false) continue;
      throw serverError("FailedToParse", `Cannot specify both ${option} and remove=true`);
    }
    const { removed, last } = yield* removeMatching(call, parseQuery({ filter: query, sort, limit: 1 }));
    return { lastErrorObject: { n: removed }, value: shown(last?.document()) };
  }
  const { matched, before, after, upserted } = yield* updateMatching(call, { ...call.command, query });
  const lastErrorObject: Document = { n: matched > 0 || upserted !== undefined ? 1 : 0, updatedExisting: matched > 0 };
  if (upserted !== undefined) lastErrorObject["upserted"] = upserted["_id"];
  return { lastErrorObject, value: shown(toBoolean(wantsNew) ? (upserted ?? after) : before) };
}

interface UpdateResult {
  matched: number;
  modified: number;
  before?: Document;
  after?: Document;
  upserted?: Document;
}

/** Updates one document or, with `multi`, all documents that the query of the statement finds. */
function* updateMatching(call: Call, statement: Document): Steps<UpdateResult> {
  const change = parseUpdate(statement["update"], statement["arrayFilters"]);
  const [multi, upsert] = [toBoolean(statement["multi"]), toBoolean(statement["upsert"])];
  if (multi && change.isReplacement) {
    throw serverError("FailedToParse", "multi update is not supported for replacement-style update");
  }
  const query = parseQuery({ filter: statement["query"], sort: statement["sort"], limit: multi ? 0 : 1 });
  const { documents } = call.engine;
  const result: UpdateResult = { matched: 0, modified: 0 };
  for (;;) {
    yield* eachMatching(call, query, (found, collection) => {
      const before = found.document();
      const after = change.apply(before, found.position);
      const changed = documents.replace(call.transaction, collection, found, after);
      result.matched += 1;
      if (changed) result.modified += 1;
      Object.assign(result, { before, after });
    });
    if (result.matched > 0 || !upsert) return result;
    const upserted = change.insert(query.filter);
    const insertNow = (): void => documents.insert(call.transaction, getOrCreateCollection(call), upserted);
    // After waiting for a transaction, there may be a document to update.
    if (yield* tryApply(call, insertNow)) return { ...result, upserted };
  }
}

/** Removes the documents that a query finds. Returns their number, and the last of them. */
function* removeMatching(call: Call, query: Query): Steps<{ removed: number; last?: StoredDocument }> {
  const result: { removed: number; last?: StoredDocument } = { removed: 0 };
  yield* eachMatching(call, query, (found, collection) => {
    call.engine.documents.remove(call.transaction, collection, found);
    Object.assign(result, { removed: result.removed + 1, last: found });
  });
  return result;
}

/**
 * Changes the documents that a query finds, after all of them were found, so that the scan does not find a changed document again. Other
 * commands run in between, so each document is read again before it is changed, and is left unchanged if it no longer matches.
 */
function* eachMatching(
  call: Call,
  query: Query,
  change: (found: StoredDocument, collection: Collection) => void,
): Steps<void> {
  const { engine, transaction } = call;
  const matches = compileFilter(query.filter);
  for (;;) {
    const collection = findCollection(call);
    if (collection === undefined) return;
    const found = new Map<number, Place>();
    for (const row of findDocuments(call, query)) {
      if (row === undefined) yield undefined;
      else found.set(row.record, getPlace(row, found.size));
    }
    let changed = 0;
    for (const each of found.values()) {
      yield* applyWhenUnlocked(call, () => {
        const now = engine.current(transaction, collection, matches, each);
        if (now === undefined) return;
        change(now, collection);
        changed += 1;
      });
      if (engine.timeSlices.isOver) yield undefined;
    }
    // Another command changed the only document that was found. There may be another match.
    if (query.limit !== 1 || changed > 0 || found.size === 0) return;
    yield undefined;
  }
}

/** Makes a change after waiting for the transactions that hold the document. */
function* applyWhenUnlocked(call: Call, change: () => void): Steps<void> {
  while (!(yield* tryApply(call, change)));
}

/**
 * Makes a change. Returns false if it had to wait for a transaction, which has then ended. A numbered write does not wait here, because
 * it would be committed without its progress: it throws, and is run again.
 */
function* tryApply(call: Call, change: () => void): Steps<boolean> {
  try {
    change();
    return true;
  } catch (error) {
    if (!(error instanceof WaitForTransaction) || call.number >= 0) throw error;
    yield error;
    return false;
  }
}

/**
 * Runs the statements of a bulk write, each of which returns how many documents it counts. Collects their errors, and stops at
 * the first one if they are ordered. Continues a repeated write that was interrupted.
 */
function* eachStatement(
  call: Call,
  field: string,
  run: (statement: Document, progress: BulkProgress) => Steps<number>,
): Steps<Reply> {
  const { ordered = true } = call.command;
  const stopsAtError = toBoolean(ordered) || call.transaction !== undefined;
  const statements = parseDocuments(call.command, field);
  const progress = call.repeatable?.progress ?? toProgress();
  const { upserted, writeErrors } = progress;
  for (const statement of statements.slice(progress.done)) {
    if (stopsAtError && writeErrors.length > 0) break;
    try {
      progress.n += yield* run(statement, progress);
    } catch (error) {
      // An error after which the client repeats the whole command is not an error of one statement.
      if (!(error instanceof ServerError) || "errorLabels" in error.details) throw error;
      addError(progress, error);
    }
    progress.done += 1;
    if (!call.engine.timeSlices.isOver) continue;
    call.repeatable?.save(progress);
    yield undefined;
  }
  return {
    n: progress.n,
    ...(field === "updates" && { nModified: progress.nModified }),
    ...(upserted.length > 0 && { upserted }),
    ...(writeErrors.length > 0 && { writeErrors }),
  };
}
