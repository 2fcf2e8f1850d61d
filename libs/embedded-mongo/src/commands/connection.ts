import { Binary, Int32 } from "bson";
import { serverError } from "../errors.ts";
import { noSuchTransaction, transactionTooOld } from "../transactions.ts";
import { fieldOf, isDocument, numberOf } from "../values.ts";
import { largestMessage, type Reply } from "../wire.ts";
import { done, type Call, type Command } from "./command.ts";

const plain = { inTransaction: false, retryable: false };
const helloFields = [
  ...["helloOk", "client", "compression", "saslSupportedMechs", "speculativeAuthenticate", "topologyVersion"],
  ...["maxAwaitTimeMS", "loadBalanced", "backpressure"],
];

/** The version of MongoDB whose behaviour this server follows. */
export const version = "6.0.5";

/** The name of the replica set that clients see; without one they would not begin transactions. */
export const setName = "rs0";

/** The commands about the connection, sessions and the end of transactions. */
export const connectionCommands: { readonly [name: string]: Command } = {
  hello: { ...plain, fields: helloFields, run: hello },
  isMaster: { ...plain, fields: helloFields, run: hello },
  ismaster: { ...plain, fields: helloFields, run: hello },
  ping: { ...plain, fields: [], run: () => done() },
  buildInfo: { ...plain, fields: [], run: buildInfo },
  buildinfo: { ...plain, fields: [], run: buildInfo },
  connectionStatus: { ...plain, fields: ["showPrivileges"], run: connectionStatus },
  startSession: { ...plain, fields: [], run: startSession },
  refreshSessions: { ...plain, fields: [], run: refreshSessions },
  endSessions: { ...plain, fields: [], run: endSessions },
  commitTransaction: { ...plain, inTransaction: true, fields: ["recoveryToken"], run: commitTransaction },
  abortTransaction: { ...plain, inTransaction: true, fields: ["recoveryToken"], run: abortTransaction },
};

function hello(call: Call): Reply {
  const me = call.server.address();
  return done({
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    secondary: false,
    setName,
    setVersion: 1,
    hosts: [me],
    primary: me,
    me,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: largestMessage,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: call.connection,
    minWireVersion: 0,
    maxWireVersion: 17,
    readOnly: false,
  });
}

function buildInfo(): Reply {
  return done({
    version,
    versionArray: version.split(".").concat("0").map(Number),
    gitVersion: "embedded",
    modules: ["@switchyard/embedded-mongo"],
    storageEngines: ["node:sqlite"],
    bits: 64,
    debug: false,
    maxBsonObjectSize: 16 * 1024 * 1024,
  });
}

function connectionStatus(): Reply {
  return done({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } });
}

function startSession(): Reply {
  const id = new Binary(crypto.getRandomValues(new Uint8Array(16)), Binary.SUBTYPE_UUID);
  return done({ id: { id }, timeoutMinutes: new Int32(30) });
}

function refreshSessions(call: Call): Reply {
  for (const key of sessionKeysIn(call)) call.server.sessions.get(key);
  return done();
}

function endSessions(call: Call): Reply {
  for (const key of sessionKeysIn(call)) {
    call.server.sessions.end(key);
    call.server.cursors.closeSession(key);
  }
  return done();
}

function commitTransaction(call: Call): Reply {
  const { session, server } = call;
  const number = transactionNumber(call);
  if (session === undefined) throw serverError("InvalidOptions", "commitTransaction needs a session");
  if (session.number === number && session.outcome?.kind === "committed") return done();
  const transaction = server.sessions.continueTransaction(session, number);
  server.engine.documents.commit(transaction);
  server.sessions.remember(session, number, { kind: "committed" });
  return done();
}

function abortTransaction(call: Call): Reply {
  const { session, server } = call;
  const number = transactionNumber(call);
  if (session === undefined) throw serverError("InvalidOptions", "abortTransaction needs a session");
  if (session.number === number && session.outcome?.kind === "committed") {
    throw serverError("TransactionCommitted", `Transaction ${number} has been committed.`);
  }
  if (number < session.number) throw transactionTooOld(number);
  if (session.number !== number || session.transaction === undefined) throw noSuchTransaction(number);
  server.sessions.abort(session);
  return done();
}

function transactionNumber(call: Call): bigint {
  const number = fieldOf(call.command, "txnNumber");
  if (number === undefined) throw serverError("InvalidOptions", `${call.name} needs a transaction number`);
  return BigInt(numberOf(number));
}

function sessionKeysIn(call: Call): string[] {
  const list = call.command[call.name];
  if (!Array.isArray(list)) throw serverError("TypeMismatch", `${call.name} needs an array of sessions`);
  return list.map(sessionKey);
}

/** The text by which a session is kept; refuses what is no session id. */
export function sessionKey(lsid: unknown): string {
  const id = isDocument(lsid) ? lsid["id"] : undefined;
  if (!(typeof id === "object" && id !== null && (id as { _bsontype?: string })._bsontype === "Binary")) {
    throw serverError("TypeMismatch", "a session id must be { id: <UUID> }");
  }
  return (id as Binary).toString("hex");
}
