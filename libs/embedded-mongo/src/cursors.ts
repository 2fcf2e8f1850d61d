import { randomInt } from "node:crypto";
import { serverError } from "./errors.ts";

/** The rest of a result that was not sent yet. */
export interface Cursor {
  readonly id: bigint;
  readonly namespace: string;
  readonly session: string | undefined;
  readonly bodies: Iterator<Uint8Array>;
  /** A document that was read but did not fit the last batch. */
  pending: Uint8Array | undefined;
  usedAt: number;
}

/** The open cursors. */
export interface Cursors {
  /** Takes the first batch of a result; keeps a cursor when there is more (its id is 0 otherwise). */
  open(options: {
    readonly namespace: string;
    readonly session: string | undefined;
    readonly bodies: Iterable<Uint8Array>;
    readonly batchSize: number;
    readonly single: boolean;
  }): { id: bigint; batch: Uint8Array[] };
  /** Takes the next batch; an unknown id is CursorNotFound. `batchSize` 0 means "as many as fit". */
  next(id: bigint, namespace: string, batchSize: number): { id: bigint; batch: Uint8Array[] };
  /** Closes a cursor; false when there is none. */
  close(id: bigint): boolean;
  closeSession(session: string): void;
  /** Closes those that were not used since a time of `Date.now()`. */
  closeOlderThan(time: number): void;
}

const bytesOfBatch = 16 * 1024 * 1024 - 16 * 1024;

/** Creates the list of cursors. */
export function createCursors(): Cursors {
  const cursors = new Map<bigint, Cursor>();

  function fill(cursor: Cursor, batchSize: number): { batch: Uint8Array[]; done: boolean } {
    const batch: Uint8Array[] = [];
    let bytes = 0;
    while (batch.length < batchSize) {
      let body = cursor.pending;
      cursor.pending = undefined;
      if (body === undefined) {
        const next = cursor.bodies.next();
        if (next.done === true) return { batch, done: true };
        body = next.value;
      }
      bytes += body.length + 12;
      if (bytes > bytesOfBatch && batch.length > 0) {
        cursor.pending = body;
        return { batch, done: false };
      }
      batch.push(body);
    }
    return { batch, done: false };
  }

  return {
    open({ namespace, session, bodies, batchSize, single }) {
      const id = BigInt(randomInt(1, 2 ** 47)) + 1n;
      const cursor: Cursor = {
        id,
        namespace,
        session,
        bodies: bodies[Symbol.iterator](),
        pending: undefined,
        usedAt: Date.now(),
      };
      const { batch, done } = fill(cursor, batchSize);
      if (done || single) return { id: 0n, batch };
      cursors.set(id, cursor);
      return { id, batch };
    },
    next(id, namespace, batchSize) {
      const cursor = cursors.get(id);
      if (cursor === undefined) throw serverError("CursorNotFound", `cursor id ${id} not found`);
      if (cursor.namespace !== namespace) {
        throw serverError("BadValue", `the cursor ${id} belongs to ${cursor.namespace}, not to ${namespace}`);
      }
      cursor.usedAt = Date.now();
      const { batch, done } = fill(cursor, batchSize === 0 ? Number.POSITIVE_INFINITY : batchSize);
      if (done) cursors.delete(id);
      return { id: done ? 0n : id, batch };
    },
    close: (id) => cursors.delete(id),
    closeSession(session) {
      for (const cursor of cursors.values()) if (cursor.session === session) cursors.delete(cursor.id);
    },
    closeOlderThan(time) {
      for (const cursor of cursors.values()) if (cursor.usedAt < time) cursors.delete(cursor.id);
    },
  };
}
