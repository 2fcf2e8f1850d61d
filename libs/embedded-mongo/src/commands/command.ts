import type { Cursors } from "../cursors.ts";
import type { Engine } from "../engine.ts";
import { notImplemented, serverError } from "../errors.ts";
import type { Session, Sessions } from "../sessions.ts";
import type { Transaction } from "../transactions.ts";
import { fieldOf, isDocument, kindOf, numberOf, type Document } from "../values.ts";
import type { Reply } from "../wire.ts";

/** What commands work with. */
export interface Server {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly cursors: Cursors;
  /** host:port, as clients reach it. */
  address(): string;
}

/** One command of one client. */
export interface Call {
  readonly server: Server;
  readonly name: string;
  readonly command: Document;
  readonly database: string;
  readonly connection: number;
  readonly session: Session | undefined;
  readonly transaction: Transaction | undefined;
}

/** A command this server has. */
export interface Command {
  /** Its own fields besides those that every command may have; any other field is refused. */
  readonly fields: readonly string[];
  /** Whether a transaction may contain it. */
  readonly inTransaction: boolean;
  /** Whether it is a write that clients repeat with the same transaction number. */
  readonly retryable: boolean;
  readonly run: (call: Call) => Reply;
}

/** A reply of fields alone, with `ok: 1`. */
export function done(fields: Document = {}): Reply {
  return { fields: { ...fields, ok: 1 } };
}

/** The name of the collection in the command's first field. */
export function collectionName(call: Call): string {
  const name = call.command[call.name];
  if (typeof name !== "string") {
    if (call.name === "aggregate") throw notImplemented("an aggregation without a collection");
    throw serverError("InvalidNamespace", `collection name has invalid type for ${call.name}`);
  }
  if (name === "") throw serverError("InvalidNamespace", `Invalid namespace specified '${call.database}.'`);
  return name;
}

/** Refuses fields that are not in `known`. */
export function checkFields(what: string, document: Document, known: readonly string[]): void {
  for (const name of Object.keys(document)) {
    if (!known.includes(name)) throw notImplemented(`the option ${name} of ${what}`);
  }
}

/** Refuses options that are known but change results in ways this server has not; values that mean "no" are fine. */
export function refuseOptions(what: string, document: Document, names: readonly string[]): void {
  for (const name of names) {
    const value = fieldOf(document, name);
    const harmless =
      value === undefined ||
      value === false ||
      value === null ||
      (kindOf(value) === "number" && numberOf(value) == 0) ||
      (isDocument(value) && Object.keys(value).length === 0);
    if (!harmless) throw notImplemented(`the option ${name} of ${what}`);
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
