import type { Binary } from "bson";
import { serverError } from "../errors.ts";
import { isDocument, kindOf } from "../values.ts";
import { largest, type Reply } from "../wire.ts";
import { done, type Call } from "./command.ts";

/** The name of the replica set that clients see; without one they would not begin transactions. */
export const setName = "rs0";

export function hello({ address, connection }: Call): Reply {
  const me = address();
  return done({
    ...{ helloOk: true, ismaster: true, isWritablePrimary: true, secondary: false, readOnly: false },
    ...{ setName, setVersion: 1, hosts: [me], primary: me, me, connectionId: connection, localTime: new Date() },
    ...{ maxBsonObjectSize: largest.document, maxMessageSizeBytes: largest.message, maxWriteBatchSize: largest.batch },
    ...{ logicalSessionTimeoutMinutes: 30, minWireVersion: 0, maxWireVersion: 17 },
  });
}

/** Tells the version of MongoDB whose behaviour this server follows. */
export function buildInfo(): Reply {
  const what = { modules: ["@switchyard/embedded-mongo"], storageEngines: ["node:sqlite"], gitVersion: "embedded" };
  const maxBsonObjectSize = largest.document;
  return done({ version: "6.0.5", versionArray: [6, 0, 5, 0], ...what, bits: 64, debug: false, maxBsonObjectSize });
}

export function endSessions({ command, sessions, cursors }: Call): Reply {
  const list = command["endSessions"];
  if (!Array.isArray(list)) throw serverError("TypeMismatch", "endSessions needs an array of sessions");
  for (const key of list.map(sessionKey)) {
    sessions.end(key);
    cursors.closeSession(key);
  }
  return done();
}

export function commitTransaction({ sessionKey: key, number, connection, sessions, engine }: Call): Reply {
  if (number < 0n) throw serverError("InvalidOptions", "commitTransaction needs a session and a number");
  if (sessions.isCommitted(key, number)) return done();
  engine.documents.commit(sessions.transactionOf(key, number, connection));
  sessions.remember(key, number);
  return done();
}

export function abortTransaction({ sessionKey: key, number, connection, sessions }: Call): Reply {
  if (number < 0n) throw serverError("InvalidOptions", "abortTransaction needs a session and a number");
  sessions.transactionOf(key, number, connection);
  sessions.abort(key);
  return done();
}

/** The text by which a session is kept; refuses what is no session id. */
export function sessionKey(lsid: unknown): string {
  const id = isDocument(lsid) ? lsid["id"] : undefined;
  if (kindOf(id) !== "binary") throw serverError("TypeMismatch", "a session id must be { id: <UUID> }");
  return (id as Binary).toString("hex");
}
