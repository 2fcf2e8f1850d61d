import { BSON, Long, type ClientSession, type Collection, type Db, type Document, type MongoClient } from "mongodb";
import type mongoose from "mongoose";

/** A collection without types, because the suite also sends invalid values. */
export type Things = Collection<any>;

/** The code of an error, or the codes of a real server and of the embedded one if they differ for a listed reason. */
export type Code = number | { readonly real: number; readonly here: number; readonly reason: string };

/** Returns the codes of an error for a feature that the embedded server does not support. */
export function unsupported(real: number): Code {
  return { real, here: 238, reason: "unsupported" };
}

/** Returns the codes of an error for which the embedded server has a more general code. */
export function generalized(real: number, here: number): Code {
  return { real, here, reason: "codes" };
}

/** A running server for a test. */
export interface ServerUnderTest {
  readonly uri: string;
  close(): Promise<void>;
}

/** The values that the parts of the suite share. They are functions because the values exist only while a test runs. */
export interface SuiteContext {
  uri(): string;
  client(): MongoClient;
  connection(): mongoose.Connection;
  /** The database of this run, which is dropped at its end. */
  database(): Db;
  /** The collection of the current test. */
  things(): Things;
  /** Another collection of the current test. */
  others(): Things;
  /** The number of the current test. */
  count(): number;
  /** Returns the IDs that a query finds in `things`, in the sort order. */
  ids(query: Document, sort?: Document): Promise<unknown[]>;
  /**
   * Adds a test whose expectation differs on the embedded server, for a reason that its README.md lists under "Differences". `here` is the
   * test for the embedded server.
   */
  differs(title: string, reason: string, cases: { real: () => Promise<void>; here: () => Promise<void> }): void;
  /** Returns the code of an error on the server under test. */
  code(code: Code): number;
  /** Adds a test that only the embedded server runs, for a listed reason. */
  embeddedOnly(title: string, reason: string, run: () => Promise<void>): void;
}

/** Returns the error of an operation. Throws if it succeeds. */
export async function getFailure(operation: Promise<unknown>): Promise<any> {
  const nothing = Symbol("no error");
  const failure: unknown = await operation.then(
    () => nothing,
    (error: unknown) => error,
  );
  if (failure === nothing) throw new Error("expected an error, and there was none");
  return failure;
}

/** Converts a document to canonical extended JSON, which distinguishes Int32, Long and Double. */
export function exactly(document: unknown): unknown {
  return BSON.EJSON.serialize(document, { relaxed: false });
}

/** Returns a stored document in canonical extended JSON, without conversions of numbers. */
export async function stored(things: Things, query: Document = {}): Promise<any> {
  return exactly(await things.findOne(query, { promoteValues: false, promoteBuffers: false }));
}

/** Returns the IDs that a query finds, in the sort order. */
export async function getIds(things: Things, query: Document, sort: Document = { _id: 1 }): Promise<unknown[]> {
  const found = await things
    .find(query, { projection: { _id: 1 } })
    .sort(sort)
    .toArray();
  return found.map(({ _id }) => _id as unknown);
}

/** Runs a function with a session, and ends the session afterwards. */
export async function within<Value>(
  context: SuiteContext,
  run: (session: ClientSession) => Promise<Value>,
): Promise<Value> {
  const session = context.client().startSession();
  try {
    return await run(session);
  } finally {
    await session.endSession();
  }
}

/** Runs a function that sends commands with chosen `txnNumber`s, from 1, in one session. */
export async function numbered(
  context: SuiteContext,
  run: (send: (command: Document) => Promise<any>) => Promise<void>,
): Promise<void> {
  const session = context.client().startSession({ causalConsistency: false });
  const base = session.serverSession.txnNumber + 100;
  try {
    await run(({ txnNumber, ...command }) => {
      const number = base + (txnNumber as number);
      const ends = "commitTransaction" in command || "abortTransaction" in command;
      if (ends) session.serverSession.txnNumber = number;
      const database = ends ? context.client().db("admin") : context.database();
      return database.command(
        { ...command, ...(txnNumber === undefined ? {} : { txnNumber: Long.fromNumber(number) }) },
        { session },
      );
    });
  } finally {
    // Prevents the driver from reusing the session, whose numbers would be too old.
    session.serverSession.isDirty = true;
    await session.endSession();
  }
}

/** Pads rows to the same length, so that all rows have the same type. */
export function rows<Row extends readonly unknown[]>(table: readonly Row[]): Required<Row>[] {
  const width = Math.max(...table.map(({ length }) => length));
  return table.map((row) => Array.from({ length: width }, (_, at) => row[at]) as unknown as Required<Row>);
}
