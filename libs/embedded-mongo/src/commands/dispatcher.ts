import { errorReply, notImplemented, serverError } from "../errors.ts";
import type { Session } from "../sessions.ts";
import { WaitForTransaction, type Transaction } from "../transactions.ts";
import { fieldOf, isDocument, kindOf, numberOf, textOf, truthOf, type Document } from "../values.ts";
import { encodeReply, type Reply } from "../wire.ts";
import { administrationCommands } from "./administration.ts";
import type { Call, Command, Server } from "./command.ts";
import { connectionCommands, sessionKey } from "./connection.ts";
import { explainCommands } from "./explain.ts";
import { readingCommands } from "./reading.ts";
import { writingCommands } from "./writing.ts";

const commands: { readonly [name: string]: Command } = {
  ...connectionCommands,
  ...readingCommands,
  ...explainCommands,
  ...writingCommands,
  ...administrationCommands,
};

/** Fields that every command may have. */
const general = [
  ...["$db", "$readPreference", "$clusterTime", "lsid", "txnNumber", "autocommit", "startTransaction", "stmtId"],
  ...["readConcern", "writeConcern", "maxTimeMS", "comment", "hint"],
];

/**
 * Runs one command to its end and returns the encoded reply; errors are replies too. Throws only
 * `WaitForTransaction`: then nothing was done, and the command is to be run again once a transaction ended.
 */
export function dispatch(server: Server, connection: number, command: Document): Uint8Array {
  let session: Session | undefined;
  let transaction: Transaction | undefined;
  try {
    const name = Object.keys(command)[0] ?? "";
    const handler = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (handler === undefined) {
      throw serverError("CommandNotSupported", `the command ${name} is not supported by the embedded server`);
    }
    checkCommand(name, handler, command);
    const lsid = fieldOf(command, "lsid");
    session = lsid === undefined ? undefined : server.sessions.get(sessionKey(lsid));
    const number = fieldOf(command, "txnNumber") === undefined ? undefined : BigInt(numberOf(command["txnNumber"]));
    const inTransaction = command["autocommit"] === false;
    if ((number !== undefined && session === undefined) || (inTransaction && number === undefined)) {
      throw serverError("InvalidOptions", "a transaction needs a session and a number");
    }
    if (inTransaction && session !== undefined && number !== undefined) {
      transaction = transactionOf(server, session, number, name, handler, command);
      if (transaction !== undefined) session.connections.add(connection);
    } else if (session !== undefined && number !== undefined && handler.retryable) {
      const earlier = server.sessions.replyOf(session, number);
      if (earlier !== undefined) return earlier;
    }
    const call: Call = {
      server,
      name,
      command,
      database: databaseOf(command),
      connection,
      session,
      transaction,
    };
    const body = server.engine.unit(() => {
      const reply = handler.run(call);
      const encoded = encodeReply(reply);
      if (session !== undefined && number !== undefined && !inTransaction && handler.retryable) {
        server.sessions.remember(session, number, { kind: "reply", body: encoded });
      }
      if (transaction !== undefined && hasErrors(reply)) server.sessions.abort(session as Session);
      return encoded;
    });
    if (name === "commitTransaction" && session !== undefined) server.sessions.abort(session);
    return body;
  } catch (error) {
    if (error instanceof WaitForTransaction) throw error;
    // As in MongoDB, an error ends the transaction it happens in.
    if (transaction !== undefined && session !== undefined) server.sessions.abort(session);
    return encodeReply({ fields: errorReply(error) });
  }
}

function transactionOf(
  server: Server,
  session: Session,
  number: bigint,
  name: string,
  handler: Command,
  command: Document,
): Transaction | undefined {
  if (!handler.inTransaction) {
    server.sessions.abort(session);
    throw serverError("OperationNotSupportedInTransaction", `Cannot run '${name}' in a multi-document transaction.`);
  }
  // These two find their transaction themselves: they are also asked about ones that are over.
  if (name === "commitTransaction" || name === "abortTransaction") return undefined;
  if (command["startTransaction"] === true) return server.sessions.beginTransaction(session, number);
  return server.sessions.continueTransaction(session, number);
}

function checkCommand(name: string, handler: Command, command: Document): void {
  for (const field of Object.keys(command)) {
    if (field === name || handler.fields.includes(field) || general.includes(field)) continue;
    throw notImplemented(`the option ${field} of ${name}`);
  }
  if (command["hint"] !== undefined) throw notImplemented(`the option hint of ${name}`);
  const { readConcern, writeConcern } = command;
  if (isDocument(readConcern)) {
    for (const field of Object.keys(readConcern)) {
      if (field !== "level") throw notImplemented(`the option ${field} of a read concern`);
    }
    const level = readConcern["level"];
    const known = level === undefined || level === "local" || level === "majority" || level === "available";
    const alike = level === "linearizable" || (level === "snapshot" && command["autocommit"] === false);
    if (!known && !alike) throw notImplemented(`the read concern ${textOf(level)} here`);
  }
  if (isDocument(writeConcern)) {
    const w = writeConcern["w"];
    if (kindOf(w) === "number" && numberOf(w) > 1) {
      throw serverError("UnsatisfiableWriteConcern", "Not enough data-bearing nodes: the embedded server is one node");
    }
    if (typeof w === "string" && w !== "majority") throw notImplemented(`the write concern ${w}`);
  }
}

/** Whether the client wants its reply only when everything it tells of survives a loss of power. */
export function isDurable(command: Document): boolean {
  const concern = command["writeConcern"];
  if (!isDocument(concern)) return false;
  const { w, j } = concern;
  return j === undefined ? w === "majority" : truthOf(j);
}

function databaseOf(command: Document): string {
  const name = fieldOf(command, "$db");
  if (typeof name !== "string" || name === "") throw serverError("InvalidNamespace", "a command needs $db");
  return name;
}

function hasErrors(reply: Reply): boolean {
  return fieldOf(reply.fields, "writeErrors") !== undefined;
}

/** The reply to a command that waited for a transaction for too long. */
export function waitedTooLong(): Uint8Array {
  return encodeReply({
    fields: errorReply(
      serverError("MaxTimeMSExpired", "operation exceeded time limit while it waited for a transaction"),
    ),
  });
}
