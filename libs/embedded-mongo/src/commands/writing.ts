import { integerOf } from "../arithmetic.ts";
import type { Collection } from "../catalog.ts";
import { isServerError, serverError } from "../errors.ts";
import { parseFilter, type Filter } from "../filter.ts";
import { parseProjection } from "../projection.ts";
import type { Found } from "../query.ts";
import { parseSort, type SortField } from "../sorting.ts";
import { parseUpdate, withId } from "../updater.ts";
import { fieldOf, truthOf, wholeNumber, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";
import { checkFields, collectionName, documentsIn, done, refuseOptions, type Call, type Command } from "./command.ts";

const write = { inTransaction: true, retryable: true };
const bulk = ["ordered", "bypassDocumentValidation", "bypassEmptyTsReplacement"];

/** The commands that write documents. */
export const writingCommands: { readonly [name: string]: Command } = {
  insert: { ...write, fields: ["documents", ...bulk], run: insert },
  update: { ...write, fields: ["updates", "let", ...bulk], run: update },
  delete: { ...write, fields: ["deletes", "let", ...bulk], run: remove },
  findAndModify: {
    ...write,
    fields: [
      ...["query", "sort", "remove", "update", "new", "fields", "upsert", "arrayFilters", "collation", "let"],
      ...["bypassDocumentValidation"],
    ],
    run: findAndModify,
  },
};

function insert(call: Call): Reply {
  const documents = documentsIn(call.command, "documents");
  const collection = collectionOf(call, true) as Collection;
  let inserted = 0;
  const writeErrors = eachStatement(call, documents, (document) => {
    call.server.engine.documents.insert(call.transaction, collection, withId(document));
    inserted += 1;
  });
  return done({ n: integerOf(inserted), ...writeErrors });
}

function update(call: Call): Reply {
  refuseOptions("update", call.command, ["let"]);
  const statements = documentsIn(call.command, "updates");
  const upserted: Document[] = [];
  let [matched, modified] = [0, 0];
  const writeErrors = eachStatement(call, statements, (statement, index) => {
    checkFields("an update", statement, [
      "q",
      "u",
      "multi",
      "upsert",
      "arrayFilters",
      "collation",
      "hint",
      "c",
      "sort",
    ]);
    refuseOptions("an update", statement, ["collation", "hint", "c", "sort"]);
    const multi = truthOf(statement["multi"]);
    const result = updateMatching(call, {
      filter: parseFilter(statement["q"]),
      update: parseUpdate(statement["u"], fieldOf(statement, "arrayFilters")),
      sort: [],
      multi,
      upsert: truthOf(statement["upsert"]),
    });
    matched += result.matched;
    modified += result.modified;
    if (result.upserted !== undefined) upserted.push({ index: integerOf(index), _id: result.upserted["_id"] });
  });
  return done({
    n: integerOf(matched + upserted.length),
    nModified: integerOf(modified),
    ...(upserted.length > 0 ? { upserted } : {}),
    ...writeErrors,
  });
}

function remove(call: Call): Reply {
  refuseOptions("delete", call.command, ["let"]);
  let removed = 0;
  const writeErrors = eachStatement(call, documentsIn(call.command, "deletes"), (statement) => {
    checkFields("a delete", statement, ["q", "limit", "collation", "hint"]);
    refuseOptions("a delete", statement, ["collation", "hint"]);
    const limit = wholeNumber(statement["limit"], "limit");
    if (limit !== 0 && limit !== 1) throw serverError("FailedToParse", "The limit field in a delete must be 0 or 1");
    for (const found of foundIn(call, parseFilter(statement["q"]), [], limit)) {
      call.server.engine.documents.remove(
        call.transaction,
        collectionOf(call, true) as Collection,
        found,
      );
      removed += 1;
    }
  });
  return done({ n: integerOf(removed), ...writeErrors });
}

function findAndModify(call: Call): Reply {
  const { command } = call;
  refuseOptions("findAndModify", command, ["collation", "let"]);
  const filter = parseFilter(fieldOf(command, "query") ?? {});
  const sort = parseSort(fieldOf(command, "sort") ?? {});
  const project = parseProjection(fieldOf(command, "fields")) ?? ((document: Document) => document);
  const wantsNew = truthOf(command["new"]);
  if (truthOf(command["remove"])) {
    if (command["update"] !== undefined || truthOf(command["upsert"]) || wantsNew) {
      throw serverError("FailedToParse", "Cannot specify both an update and remove=true");
    }
    const [found] = foundIn(call, filter, sort, 1);
    if (found === undefined) return done({ lastErrorObject: { n: 0 }, value: null });
    call.server.engine.documents.remove(
      call.transaction,
      collectionOf(call, true) as Collection,
      found,
    );
    return done({ lastErrorObject: { n: 1 }, value: project(found.document()) });
  }
  if (command["update"] === undefined)
    throw serverError("FailedToParse", "Either an update or remove=true must be specified");
  const result = updateMatching(call, {
    filter,
    update: parseUpdate(command["update"], fieldOf(command, "arrayFilters")),
    sort,
    multi: false,
    upsert: truthOf(command["upsert"]),
  });
  const value = wantsNew ? (result.upserted ?? result.after) : result.before;
  return done({
    lastErrorObject: {
      n: result.matched > 0 || result.upserted !== undefined ? 1 : 0,
      updatedExisting: result.matched > 0,
      ...(result.upserted === undefined ? {} : { upserted: result.upserted["_id"] }),
    },
    value: value === undefined ? null : project(value),
  });
}

interface UpdateStatement {
  readonly filter: Filter;
  readonly update: ReturnType<typeof parseUpdate>;
  readonly sort: readonly SortField[];
  readonly multi: boolean;
  readonly upsert: boolean;
}

interface UpdateResult {
  matched: number;
  modified: number;
  before?: Document;
  after?: Document;
  upserted?: Document;
}

function updateMatching(call: Call, statement: UpdateStatement): UpdateResult {
  const { documents } = call.server.engine;
  const { update: change, multi } = statement;
  if (multi && change.isReplacement) {
    throw serverError("FailedToParse", "multi update is not supported for replacement-style update");
  }
  const result: UpdateResult = { matched: 0, modified: 0 };
  const found = foundIn(call, statement.filter, statement.sort, multi ? 0 : 1);
  const collection = collectionOf(call, found.length > 0 || statement.upsert);
  if (collection === undefined) return result;
  for (const each of found) {
    const after = change.apply(each.document(), each.position);
    result.matched += 1;
    if (documents.replace(call.transaction, collection, each, after)) result.modified += 1;
    if (!multi) Object.assign(result, { before: each.document(), after });
  }
  if (found.length === 0 && statement.upsert) {
    result.upserted = change.insert(statement.filter);
    documents.insert(call.transaction, collection, result.upserted);
  }
  return result;
}

/** All documents to be changed, before the first is: a change must not be met again by the scan that found it. */
function foundIn(call: Call, filter: Filter, sort: readonly SortField[], limit: number): Found[] {
  const collection = collectionOf(call, false);
  if (collection === undefined) return [];
  return [...call.server.engine.query(call.transaction, collection, { filter, sort, skip: 0, limit })];
}

function collectionOf(call: Call, create: boolean): Collection | undefined {
  const { engine } = call.server;
  const name = collectionName(call);
  if (call.transaction !== undefined) engine.transactions.checkSnapshot(call.transaction, call.database, name);
  const collection = engine.catalog.find(call.database, name);
  return collection === undefined && create ? engine.catalog.create(call.database, name) : collection;
}

/** Runs the statements of a bulk write; collects their errors, and stops at the first one if they are ordered. */
function eachStatement(
  call: Call,
  statements: readonly Document[],
  run: (statement: Document, index: number) => void,
): { writeErrors?: Document[] } {
  const ordered = call.command["ordered"] === undefined || truthOf(call.command["ordered"]);
  const writeErrors: Document[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      // What the client must run again as a whole is no error of one statement.
      if (!isServerError(error) || error.labels.length > 0) throw error;
      const { code, codeName, message, details } = error;
      writeErrors.push({ index: integerOf(index), code, codeName, errmsg: message, ...details });
      if (ordered || call.transaction !== undefined) break;
    }
  }
  return writeErrors.length === 0 ? {} : { writeErrors };
}
