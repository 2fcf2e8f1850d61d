import { checkFields, notImplemented, serverError } from "../errors.ts";
import { isDocument, toText, toBoolean, parseWholeNumber, type Document } from "../values/values.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import { encodeReply, type Reply } from "../wire/wire.ts";
import { create, createIndexes, drop, dropDatabase, dropIndexes } from "./administration.ts";
import { listCollections, listDatabases, listIndexes } from "./administration.ts";
import { toProgress, type BulkProgress } from "./bulk-progress.ts";
import type { Call, Server } from "./command.ts";
import { abortTransaction, commitTransaction, endSessions, hello, ping, getSessionKey } from "./connection.ts";
import { explain } from "./explain.ts";
import { aggregate, find, getMore, killCursors } from "./reading.ts";
import { findAndModify, insert, remove, update } from "./writing.ts";

/** A command that the server supports. */
export interface Command {
  readonly run: (call: Call) => Reply | Steps<Reply>;
  /** The fields that only this command has, in addition to its name. All other fields are rejected. */
  readonly fields: readonly string[];
  /**
   * A `write` can be repeated with the same transaction number, and an `ending` ends a transaction. A command that is `outside` cannot be
   * part of a transaction.
   */
  readonly kind: "read" | "write" | "ending" | "outside";
}

/** The fields that every command may have. */
export const generalFields: readonly string[] = [
  "$db",
  "$readPreference",
  "$clusterTime",
  "lsid",
  "txnNumber",
  "autocommit",
  "startTransaction",
  "readConcern",
  "writeConcern",
  "maxTimeMS",
];

/** The fields of a read concern. */
export const readConcernFields: readonly string[] = ["level", "afterClusterTime"];

/** The fields of a write concern. */
export const writeConcernFields: readonly string[] = ["w", "j", "wtimeout"];

function command(kind: Command["kind"], run: Command["run"], fields: readonly string[] = []): Command {
  return { run, fields, kind };
}

const buildInfo = command("outside", () => ({ version: "6.0.5", versionArray: [6, 0, 5, 0] }));
const greeting = command("outside", hello, ["helloOk", "client", "compression", "backpressure"]);

/** The commands that the server supports, by name. All others are rejected. */
export const commands: { readonly [name: string]: Command } = {
  hello: greeting,
  isMaster: greeting,
  ismaster: greeting,
  ping: command("outside", ping),
  buildInfo,
  buildinfo: buildInfo,

  insert: command("write", insert, ["documents", "ordered"]),
  update: command("write", update, ["updates", "ordered"]),
  delete: command("write", remove, ["deletes", "ordered"]),
  findAndModify: command("write", findAndModify, [
    "query",
    "sort",
    "remove",
    "update",
    "new",
    "fields",
    "upsert",
    "arrayFilters",
  ]),

  find: command("read", find, ["filter", "sort", "projection", "skip", "limit", "batchSize", "singleBatch"]),
  getMore: command("read", getMore, ["collection", "batchSize"]),
  killCursors: command("read", killCursors, ["cursors"]),
  aggregate: command("read", aggregate, ["pipeline", "cursor"]),
  explain: command("outside", (call) => explain(call, findCommand), ["verbosity"]),

  create: command("outside", create),
  drop: command("outside", drop),
  dropDatabase: command("outside", dropDatabase),
  listDatabases: command("outside", listDatabases, ["nameOnly", "authorizedDatabases"]),
  listCollections: command("outside", listCollections, ["filter", "nameOnly", "authorizedCollections", "cursor"]),
  createIndexes: command("outside", createIndexes, ["indexes"]),
  listIndexes: command("outside", listIndexes, ["cursor"]),
  dropIndexes: command("outside", dropIndexes, ["index"]),

  endSessions: command("outside", endSessions),
  commitTransaction: command("ending", commitTransaction),
  abortTransaction: command("ending", abortTransaction),
};

/**
 * Runs one command, each step in a SQLite transaction, and returns the encoded reply. If it throws, the last step is rolled back and the
 * command's transaction is aborted. After a `WaitForTransaction`, the command must be run again when a transaction has ended. A statement
 * of a numbered write, a commit, and a command in a transaction run without a pause.
 */
export function* dispatch(
  server: Server,
  connection: number,
  command: Document,
  isClientGone: () => boolean,
): Steps<Uint8Array> {
  const name = Object.keys(command)[0] ?? "";
  const handler = findCommand(name, command);
  const { $db: database, lsid, txnNumber, autocommit } = command;
  if (typeof database !== "string" || database === "") throw serverError("InvalidNamespace", "a command needs $db");
  const sessionKey = lsid === undefined ? "" : getSessionKey(lsid);
  const inTransaction = autocommit === false || handler.kind === "ending";
  if (txnNumber === undefined ? inTransaction : lsid === undefined) {
    throw serverError("InvalidOptions", "a transaction needs a session and a number");
  }
  const number = txnNumber === undefined ? -1 : parseWholeNumber(txnNumber, "txnNumber");
  const transaction = undefined;
  const call: Call = { ...server, name, command, database, connection, sessionKey, number, transaction };
  const { sessions } = server;
  if (handler.kind === "ending") return yield* sessions.runLocked(sessionKey, () => runInTransaction(handler, call));
  if (inTransaction) return yield* runInTransaction(handler, call);
  const isRepeatable = txnNumber !== undefined && handler.kind === "write";
  if (isRepeatable) return yield* sessions.runLocked(sessionKey, () => runRepeatable(handler, call));
  if (isDurable(command)) server.engine.sqlite.checkFlushes();
  return yield* runSteps(handler.run(call), encodeReply, () => {
    if (handler.kind === "read" && isClientGone()) throw serverError("ClientDisconnect", "the client has disconnected");
  });
}

/**
 * Runs the steps of a command, and returns what `finish` makes of its reply. `resume` is called after each pause, and may throw. If the
 * command does not come to its end, its steps are ended, so that they release what they hold.
 */
function* runSteps(
  run: Reply | Steps<Reply>,
  finish: (reply: Reply) => Uint8Array,
  resume: () => void,
  mustContinue: () => boolean = () => false,
): Steps<Uint8Array> {
  if (!isSteps(run)) return finish(run);
  try {
    for (;;) {
      const step = run.next();
      if (step.done === true) return finish(step.value);
      if (mustContinue()) continue;
      yield step.value;
      resume();
    }
  } finally {
    run.return({});
  }
}

/**
 * Runs a retryable write. If it is repeated, the client gets the first reply, and an interrupted write continues after the last committed
 * statement.
 */
function* runRepeatable(handler: Command, call: Call): Steps<Uint8Array> {
  const { sessions, sessionKey, number, command } = call;
  const { sqlite } = call.engine;
  const { reply, stored, details } = sessions.getWrite(sessionKey, number);
  if (reply !== undefined) return reply;
  if (isDurable(command)) sqlite.checkFlushes();
  const progress = toProgress(stored, details);
  let [isSaved, upserts, errors] = [false, progress.upserted.length, progress.writeErrors.length];
  const save = ({ upserted, writeErrors, ...counts }: BulkProgress): void => {
    isSaved = true;
    if (!sqlite.isWriting) return;
    // Only what was added since the last pause, because the whole would be stored again and again.
    const added = { upserted: upserted.slice(upserts), writeErrors: writeErrors.slice(errors) };
    sessions.rememberProgress(sessionKey, number, counts, added);
    [upserts, errors] = [upserted.length, writeErrors.length];
  };
  const finish = (reply: Reply): Uint8Array => {
    const body = encodeReply(reply);
    sessions.remember(sessionKey, number, body);
    return body;
  };
  const resume = (): void => {
    isSaved = false;
    sessions.checkNumber(sessionKey, number);
  };
  // Writes must be committed together with the progress or the reply, so the command cannot pause before these are stored.
  const mustContinue = (): boolean => sqlite.isWriting && !isSaved;
  const run = handler.run({ ...call, repeatable: { progress, save } });
  return yield* runSteps(run, finish, resume, mustContinue);
}

function isSteps(run: Reply | Steps<Reply>): run is Steps<Reply> {
  return Symbol.iterator in run;
}

/** Returns the command with a name. Rejects unknown commands and fields, and options that a command cannot have. */
function findCommand(name: string, command: Document): Command {
  const handler = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (handler === undefined) {
    throw serverError("CommandNotSupported", `the command ${name} is not supported by the embedded server`);
  }
  checkFields(name, command, [name, ...generalFields, ...handler.fields]);
  checkConcerns(command);
  return handler;
}

function* runInTransaction({ run, kind }: Command, call: Call): Steps<Uint8Array> {
  const { engine, sessions, name, sessionKey, number, connection } = call;
  if (call.command["startTransaction"] === true) sessions.begin(sessionKey, number);
  // A command that ends a transaction finds it itself, because the transaction may already have ended.
  const isPart = kind === "read" || kind === "write";
  const transaction = isPart ? sessions.getTransaction(sessionKey, number, connection) : undefined;
  try {
    if (kind === "outside") {
      throw serverError("OperationNotSupportedInTransaction", `Cannot run '${name}' in a multi-document transaction.`);
    }
    if (name === "commitTransaction" && isDurable(call.command)) engine.sqlite.checkFlushes();
    const finish = (reply: Reply): Uint8Array => {
      const body = encodeReply(reply);
      if (kind === "ending" || "writeErrors" in reply) sessions.abort(sessionKey, number);
      return body;
    };
    // The transaction may have been aborted in the meantime.
    const resume = () => void sessions.getTransaction(sessionKey, number, connection);
    return yield* runSteps(run({ ...call, transaction }), finish, resume);
  } catch (error) {
    // As in MongoDB, an error aborts the transaction.
    sessions.abort(sessionKey, number);
    throw error;
  }
}

/** Returns true if the client requests the reply only after everything that it confirms survives a power failure. */
export function isDurable(command: Document): boolean {
  const concern = command["writeConcern"];
  if (!isDocument(concern)) return false;
  const { w, j } = concern;
  return j === undefined ? w === "majority" : toBoolean(j);
}

function checkConcerns({ readConcern, writeConcern, autocommit }: Document): void {
  if (isDocument(readConcern)) {
    // Clients only see committed data, so every read comes after it.
    checkFields("a read concern", readConcern, readConcernFields);
    const { level = "local" } = readConcern;
    // Only transactions support a snapshot over several commands.
    const known = level === "local" || level === "majority" || (level === "snapshot" && autocommit === false);
    if (!known) throw notImplemented(`the read concern ${toText(level)} here`);
  }
  if (isDocument(writeConcern)) {
    checkFields("a write concern", writeConcern, writeConcernFields);
    const { w = "majority" } = writeConcern;
    if (w !== "majority" && !["0", "1"].includes(toText(w))) throw notImplemented(`the write concern ${toText(w)}`);
  }
}
