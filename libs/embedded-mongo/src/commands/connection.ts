import type { Binary } from "bson";
import { serverError } from "../errors.ts";
import { isDocument, getKind } from "../values/values.ts";
import { wireLimits, type Reply } from "../wire/wire.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import type { Call } from "./command.ts";

/** The name of the replica set that clients see. Without one, they would not start transactions. */
export const setName = "rs0";

export function hello({ address, connection }: Call): Reply {
  const me = address();
  return {
    ...{ helloOk: true, ismaster: true, isWritablePrimary: true, secondary: false, readOnly: false },
    ...{ setName, setVersion: 1, hosts: [me], primary: me, me, connectionId: connection, localTime: new Date() },
    ...{
      maxBsonObjectSize: wireLimits.document,
      maxMessageSizeBytes: wireLimits.message,
      maxWriteBatchSize: wireLimits.batch,
    },
    ...{ logicalSessionTimeoutMinutes: 30, minWireVersion: 0, maxWireVersion: 17 },
  };
}

/** Confirms that the server responds, and that the disk accepts writes. */
export function ping({ engine }: Call): Reply {
  if (engine.sqlite.failure !== undefined) throw engine.sqlite.failure;
  return {};
}

export function endSessions({ command, sessions, cursors }: Call): Reply {
  const list = command["endSessions"];
  if (!Array.isArray(list)) throw serverError("TypeMismatch", "endSessions needs an array of sessions");
  for (const key of list.map(getSessionKey)) {
    sessions.end(key);
    cursors.closeSession(key);
  }
  return {};
}

export function* commitTransaction({ sessionKey, number, connection, sessions, engine }: Call): Steps<Reply> {
  if (sessions.isCommitted(sessionKey, number)) return {};
  yield* engine.documents.commit(sessions.getTransaction(sessionKey, number, connection), engine.timeSlices);
  sessions.remember(sessionKey, number);
  return {};
}

/** Finds the transaction, which the dispatcher then aborts. */
export function abortTransaction({ sessionKey, number, connection, sessions }: Call): Reply {
  sessions.getTransaction(sessionKey, number, connection);
  return {};
}

/** Returns the key under which a session is stored. Rejects invalid session IDs. */
export function getSessionKey(lsid: unknown): string {
  const id = isDocument(lsid) ? lsid["id"] : undefined;
  if (getKind(id) !== "binary") throw serverError("TypeMismatch", "a session id must be { id: <UUID> }");
  return (id as Binary).toString("hex");
}
