import { BSON, Long, type ClientSession, type Collection, type Db, type Document, type MongoClient } from "mongodb";
import type mongoose from "mongoose";

/** A collection without types: the suite also sends what no type would allow. */
export type Things = Collection<any>;

/** The code of an error, or the codes of a real server and of the embedded one, where they differ for a listed reason. */
export type Code = number | { readonly real: number; readonly here: number; readonly reason: string };

/** What the embedded server refuses because it does not have it. */
export function unsupported(real: number): Code {
  return { real, here: 238, reason: "unsupported" };
}

/** What the embedded server refuses as well, with a more general code. */
export function generalized(real: number, here: number): Code {
  return { real, here, reason: "codes" };
}

/** A running server for a test. */
export interface ServerUnderTest {
  readonly uri: string;
  close(): Promise<void>;
}

/** What the parts of the suite share; functions, because the values are there only when a test runs. */
export interface SuiteContext {
  uri(): string;
  client(): MongoClient;
  connection(): mongoose.Connection;
  /** A database of this run's own, dropped at its end. */
  database(): Db;
  /** A collection of the test's own. */
  things(): Things;
  /** Another one of its own. */
  others(): Things;
  /** A number of the test's own. */
  count(): number;
  /** The ids that a query finds in `things`, in the order of the sort. */
  ids(query: Document, sort?: Document): Promise<unknown[]>;
  /**
   * A case in which the embedded server does something else, for a reason that its README.md lists under "Differences".
   * `here` says what it does instead.
   */
  differs(title: string, reason: string, cases: { real: () => Promise<void>; here: () => Promise<void> }): void;
  /** The code of an error on the server that the suite runs on. */
  code(code: Code): number;
  /** A case that only the embedded server is asked, for a reason that is listed as well. */
  embeddedOnly(title: string, reason: string, run: () => Promise<void>): void;
}

/** The error that an operation fails with; throws when it does not fail. */
export async function getFailure(operation: Promise<unknown>): Promise<any> {
  const nothing = Symbol("no error");
  const failure: unknown = await operation.then(
    () => nothing,
    (error: unknown) => error,
  );
  if (failure === nothing) throw new Error("expected an error, and there was none");
  return failure;
}

/** A document in canonical extended JSON, which tells Int32, Long and Double apart. */
export function exactly(document: unknown): unknown {
  return BSON.EJSON.serialize(document, { relaxed: false });
}

/** A document as it is stored, with its numbers unconverted, in canonical extended JSON. */
export async function stored(things: Things, query: Document = {}): Promise<any> {
  return exactly(await things.findOne(query, { promoteValues: false, promoteBuffers: false }));
}

/** The ids of what a query finds, in the order of the sort. */
export async function getIds(things: Things, query: Document, sort: Document = { _id: 1 }): Promise<unknown[]> {
  const found = await things
    .find(query, { projection: { _id: 1 } })
    .sort(sort)
    .toArray();
  return found.map(({ _id }) => _id as unknown);
}

/** Waits until a condition holds; throws after a generous while. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await condition());) {
    if (Date.now() > deadline) throw new Error("waited too long");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs with a session that is ended after it, however it goes. */
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

/** Sends commands whose `txnNumber` is the test's own choice, from 1, over one session. */
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
    // The driver would use the session again, with numbers that are now too old.
    session.serverSession.isDirty = true;
    await session.endSession();
  }
}

/** Rows of one length: Jest would give a callback in the place of an argument that a row leaves out. */
export function rows<Row extends readonly unknown[]>(table: readonly Row[]): Required<Row>[] {
  const width = Math.max(...table.map(({ length }) => length));
  return table.map((row) => Array.from({ length: width }, (_, at) => row[at]) as unknown as Required<Row>);
}
