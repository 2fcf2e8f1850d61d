import { notImplemented, serverError } from "../errors.ts";
import { isDocument, kindOf, numberOf, textOf, truthOf, type Document } from "../values.ts";
import { encodeReply } from "../wire.ts";
import { create, createIndexes, drop, dropDatabase, dropIndexes } from "./administration.ts";
import { listCollections, listDatabases, listIndexes } from "./administration.ts";
import { bigintOf, checkFields, done, type Call, type Command, type Server } from "./command.ts";
import { abortTransaction, buildInfo, commitTransaction, endSessions, hello, sessionKey } from "./connection.ts";
import { explain } from "./explain.ts";
import { aggregate, count, find, getMore, killCursors } from "./reading.ts";
import { findAndModify, insert, remove, update } from "./writing.ts";

type Run = Command["run"];
const outside = (run: Run, fields = ""): Command => ({ ...inside(run, fields), inTransaction: false });
const writing = (run: Run, fields: string): Command => ({ ...inside(run, fields), retryable: true });
function inside(run: Run, fields: string): Command {
  return { run, fields: fields.split(" "), inTransaction: true, retryable: false };
}

const supported = "helloOk client compression saslSupportedMechs speculativeAuthenticate loadBalanced backpressure";
const greeting = outside(hello, `${supported} topologyVersion maxAwaitTimeMS`);

/** All commands, with the fields they may have. */
const commands: { readonly [name: string]: Command } = {
  hello: greeting,
  isMaster: greeting,
  ismaster: greeting,
  ping: outside(() => done()),
  buildInfo: outside(buildInfo),
  buildinfo: outside(buildInfo),
  endSessions: outside(endSessions),
  commitTransaction: inside(commitTransaction, "recoveryToken"),
  abortTransaction: inside(abortTransaction, "recoveryToken"),

  find: inside(find, "filter sort projection skip limit batchSize singleBatch noCursorTimeout allowDiskUse"),
  getMore: inside(getMore, "collection batchSize"),
  killCursors: inside(killCursors, "cursors"),
  aggregate: inside(aggregate, "pipeline cursor allowDiskUse bypassDocumentValidation"),
  count: outside(count, "query"),
  explain: outside((call) => explain(call, commandOf), "verbosity"),

  insert: writing(insert, "documents ordered bypassDocumentValidation bypassEmptyTsReplacement"),
  update: writing(update, "updates ordered bypassDocumentValidation bypassEmptyTsReplacement"),
  delete: writing(remove, "deletes ordered"),
  findAndModify: writing(
    findAndModify,
    "query sort remove update new fields upsert arrayFilters bypassDocumentValidation",
  ),

  create: outside(create),
  drop: outside(drop),
  dropDatabase: outside(dropDatabase),
  listDatabases: outside(listDatabases, "filter nameOnly authorizedDatabases"),
  listCollections: outside(listCollections, "filter nameOnly authorizedCollections cursor"),
  createIndexes: outside(createIndexes, "indexes commitQuorum ignoreUnknownIndexOptions"),
  listIndexes: outside(listIndexes, "cursor"),
  dropIndexes: outside(dropIndexes, "index"),
};

/** Fields that every command may have. */
const general = [
  ..."$db $readPreference $clusterTime lsid txnNumber autocommit startTransaction stmtId".split(" "),
  ..."readConcern writeConcern maxTimeMS comment".split(" "),
];

/**
 * Runs one command to its end, and returns the encoded reply. What it wrote is committed then; when it throws, nothing of it
 * is, and its transaction is aborted. `WaitForTransaction` asks to run it again once a transaction ended.
 */
export function dispatch(server: Server, connection: number, command: Document): Uint8Array {
  const name = Object.keys(command)[0] ?? "";
  const handler = commandOf(name, command);
  const { $db: database, lsid, txnNumber } = command;
  if (typeof database !== "string" || database === "") throw serverError("InvalidNamespace", "a command needs $db");
  const key = lsid === undefined ? "" : sessionKey(lsid);
  const inTransaction = command["autocommit"] === false;
  if (txnNumber === undefined ? inTransaction : lsid === undefined) {
    throw serverError("InvalidOptions", "a transaction needs a session and a number");
  }
  const number = txnNumber === undefined ? -1n : bigintOf(txnNumber, "txnNumber");
  const transaction = undefined;
  const call: Call = { ...server, name, command, database, connection, sessionKey: key, number, transaction };
  if (inTransaction) return runInTransaction(handler, call);
  if (txnNumber !== undefined && handler.retryable) return runOnce(handler, call);
  return server.engine.unit(() => encodeReply(handler.run(call)));
}

/** The command of a name; refuses those that are not known, and what this one asks for and cannot have. */
function commandOf(name: string, command: Document): Command {
  const handler = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (handler === undefined) {
    throw serverError("CommandNotSupported", `the command ${name} is not supported by the embedded server`);
  }
  checkFields(name, command, [name, ...handler.fields, ...general]);
  checkConcerns(command);
  return handler;
}

/** A write that the client may repeat: the second time, it gets the reply of the first. */
function runOnce({ run }: Command, call: Call): Uint8Array {
  const { engine, sessions, sessionKey: key, number } = call;
  const earlier = sessions.replyOf(key, number);
  if (earlier !== undefined) return earlier;
  return engine.unit(() => {
    const body = encodeReply(run(call));
    sessions.remember(key, number, body);
    return body;
  });
}

function runInTransaction({ run, inTransaction }: Command, call: Call): Uint8Array {
  const { engine, sessions, name, sessionKey: key, number, connection } = call;
  // These two find their transaction themselves: they are also asked about ones that are over.
  const ending = run === commitTransaction || run === abortTransaction;
  if (call.command["startTransaction"] === true) sessions.begin(key, number);
  const transaction = ending || !inTransaction ? undefined : sessions.transactionOf(key, number, connection);
  try {
    if (!inTransaction) {
      throw serverError("OperationNotSupportedInTransaction", `Cannot run '${name}' in a multi-document transaction.`);
    }
    let failed = false;
    const body = engine.unit(() => {
      const reply = run({ ...call, transaction });
      failed = "writeErrors" in reply.fields;
      return encodeReply(reply);
    });
    if (ending || failed) sessions.abort(key, number);
    return body;
  } catch (error) {
    // As in MongoDB, an error ends the transaction it happens in.
    sessions.abort(key, number);
    throw error;
  }
}

/** Whether the client wants its reply only when everything it tells of survives a loss of power. */
export function isDurable(command: Document): boolean {
  const concern = command["writeConcern"];
  if (!isDocument(concern)) return false;
  const { w, j } = concern;
  return j === undefined ? w === "majority" : truthOf(j);
}

function checkConcerns({ readConcern, writeConcern, autocommit }: Document): void {
  if (isDocument(readConcern)) {
    checkFields("a read concern", readConcern, ["level"]);
    const level = readConcern["level"] ?? "local";
    const known = level === "local" || level === "majority" || level === "available" || level === "linearizable";
    // One snapshot over several commands is what a transaction is for.
    if (!known && !(level === "snapshot" && autocommit === false)) {
      throw notImplemented(`the read concern ${textOf(level)} here`);
    }
  }
  if (isDocument(writeConcern)) {
    checkFields("a write concern", writeConcern, ["w", "j", "wtimeout"]);
    const w = writeConcern["w"] ?? "majority";
    if (kindOf(w) !== "number" && w !== "majority") throw notImplemented(`the write concern ${textOf(w)}`);
    if (w !== "majority" && numberOf(w) > 1) {
      throw serverError("UnsatisfiableWriteConcern", "Not enough data-bearing nodes: the embedded server is one node");
    }
  }
}
