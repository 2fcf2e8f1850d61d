import type { Collection } from "../catalog.ts";
import type { Cursors } from "../cursors.ts";
import type { Engine } from "../engine.ts";
import { notImplemented, serverError } from "../errors.ts";
import type { Query } from "../query.ts";
import type { Found } from "../records.ts";
import type { Session, Sessions } from "../sessions.ts";
import type { Transaction } from "../transactions.ts";
import { fieldOf, isDocument, kindOf, numberOf, wholeNumber, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";

/** What commands work with. */
export interface Server {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly cursors: Cursors;
  /** host:port, as clients reach it. */
  readonly address: () => string;
}

/** One command of one client. */
export interface Call extends Server {
  readonly name: string;
  readonly command: Document;
  readonly database: string;
  readonly connection: number;
  /** The session's key: cursors are closed with it. */
  readonly sessionKey: string | undefined;
  /** The session, for a command that carries a transaction number. */
  readonly session: Session | undefined;
  /** That number; -1 without one. */
  readonly number: bigint;
  readonly transaction: Transaction | undefined;
}

/** A command this server has. */
export interface Command {
  readonly run: (call: Call) => Reply;
  /** Its own fields besides those that every command may have; any other field is refused. */
  readonly fields: readonly string[];
  /** Whether a transaction may contain it. */
  readonly inTransaction: boolean;
  /** Whether it is a write that clients repeat with the same transaction number. */
  readonly retryable: boolean;
}

/** A reply of fields alone. */
export function done(fields: Document = {}): Reply {
  return { fields };
}

/** The name of the collection in the command's first field. */
export function collectionName({ command, name, database }: Call): string {
  const collection = command[name];
  if (typeof collection !== "string") {
    if (name === "aggregate") throw notImplemented("an aggregation without a collection");
    throw serverError("InvalidNamespace", `collection name has invalid type for ${name}`);
  }
  if (collection === "") throw serverError("InvalidNamespace", `Invalid namespace specified '${database}.'`);
  return collection;
}

/** The command's collection, as its transaction may see it. */
export function collectionOf(call: Call): Collection | undefined {
  const name = collectionName(call);
  if (call.transaction !== undefined) call.engine.transactions.checkSnapshot(call.transaction, call.database, name);
  return call.engine.catalog.find(call.database, name);
}

/** The documents that a query finds in the command's collection. */
export function foundIn(call: Call, query: Query): Iterable<Found> {
  const collection = collectionOf(call);
  return collection === undefined ? [] : call.engine.query(call.transaction, collection, query);
}

/** Refuses fields that are not in `known`, unless their value asks for nothing (false or null). */
export function checkFields(what: string, document: Document, known: readonly string[]): void {
  for (const name of Object.keys(document)) {
    const value = document[name];
    if (!known.includes(name) && value !== false && value !== null && value !== undefined) {
      throw notImplemented(`the option ${name} of ${what}`);
    }
  }
}

/** An array of documents in a command's field. */
export function documentsIn(command: Document, name: string): Document[] {
  const value = fieldOf(command, name);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isDocument)) {
    throw serverError("InvalidLength", `'${name}' must be an array of at least one document`);
  }
  return value;
}

/** The number in an option that counts something; `otherwise` without one. */
export function countIn(document: Document, name: string, otherwise = 0): number {
  const value = document[name];
  const count = value === undefined ? otherwise : wholeNumber(value, name);
  if (count < 0) throw serverError("Location51024", `BSON field '${name}' value must be >= 0, actual value '${count}'`);
  return count;
}

/** An id or number of 64 bits. */
export function bigintOf(value: unknown, name: string): bigint {
  const number = kindOf(value) === "number" ? numberOf(value) : undefined;
  if (typeof number === "bigint") return number;
  if (!Number.isSafeInteger(number)) throw serverError("TypeMismatch", `'${name}' must be a whole number`);
  return BigInt(number as number);
}
