import { randomInt } from "node:crypto";
import { serverError } from "./errors.ts";

/** The rest of a result that was not sent yet. */
interface Cursor {
  readonly id: bigint;
  readonly namespace: string;
  readonly session: string | undefined;
  readonly bodies: Iterator<Uint8Array>;
  /** A document that was read but did not fit the last batch. */
  pending: Uint8Array | undefined;
  usedAt: number;
}

/** The open cursors of a server. */
export type Cursors = ReturnType<typeof createCursors>;

const bytesOfBatch = 16 * 1024 * 1024 - 16 * 1024;
const mostOfSession = 100;
const mostOfAll = 1000;

/** Creates the list of cursors. Beyond 100 of one session and 1000 of all, those not used for longest are closed. */
export function createCursors() {
  /** The least recently used is the first. */
  const cursors = new Map<bigint, Cursor>();

  function keep(cursor: Cursor): void {
    const siblings = [...cursors.values()].filter(({ session }) => session === cursor.session);
    if (siblings[0] !== undefined && siblings.length >= mostOfSession) cursors.delete(siblings[0].id);
    for (const id of cursors.keys()) if (cursors.size >= mostOfAll) cursors.delete(id);
    cursors.set(cursor.id, cursor);
  }

  function closeWhere(over: (cursor: Cursor) => boolean): void {
    for (const cursor of cursors.values()) if (over(cursor)) cursors.delete(cursor.id);
  }

  return {
    /** Takes the first batch of a result; keeps a cursor when there is more, unless the batch is to be the only one. */
    open(
      result: Pick<Cursor, "namespace" | "session"> & { bodies: Iterable<Uint8Array> },
      size: number,
      only: boolean,
    ) {
      const { namespace, session } = result;
      const bodies = result.bodies[Symbol.iterator]();
      const id = BigInt(randomInt(1, 2 ** 47));
      const cursor: Cursor = { id, namespace, session, bodies, pending: undefined, usedAt: Date.now() };
      const { batch, done } = fill(cursor, size);
      if (!done && !only) keep(cursor);
      return { id: done || only ? 0n : id, batch };
    },
    /** Takes the next batch; the id is 0n when nothing is left after it. An unknown id is CursorNotFound. A size of 0 means "as many as fit". */
    next(id: bigint, namespace: string, size: number): { id: bigint; batch: Uint8Array[] } {
      const cursor = cursors.get(id);
      if (cursor === undefined) throw serverError("CursorNotFound", `cursor id ${id} not found`);
      if (cursor.namespace !== namespace) {
        throw serverError("Unauthorized", `the cursor ${id} belongs to ${cursor.namespace}, not to ${namespace}`);
      }
      // One that fails is gone, as in MongoDB.
      cursors.delete(id);
      const { batch, done } = fill(cursor, size === 0 ? Number.POSITIVE_INFINITY : size);
      if (done) return { id: 0n, batch };
      cursor.usedAt = Date.now();
      cursors.set(id, cursor);
      return { id, batch };
    },
    /** Closes a cursor; false when there is none. */
    close: (id: bigint): boolean => cursors.delete(id),
    closeSession: (key: string): void => closeWhere(({ session }) => session === key),
    /** Closes those that were not used since a time of `Date.now()`. */
    closeOlderThan: (time: number): void => closeWhere(({ usedAt }) => usedAt < time),
  };
}

function fill(cursor: Cursor, size: number): { batch: Uint8Array[]; done: boolean } {
  const batch: Uint8Array[] = [];
  for (let bytes = 0; batch.length < size;) {
    const body = cursor.pending ?? (cursor.bodies.next().value as Uint8Array | undefined);
    cursor.pending = undefined;
    if (body === undefined) return { batch, done: true };
    bytes += body.length + 12;
    if (bytes > bytesOfBatch && batch.length > 0) {
      cursor.pending = body;
      break;
    }
    batch.push(body);
  }
  return { batch, done: false };
}
