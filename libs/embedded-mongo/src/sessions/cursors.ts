import { randomInt } from "node:crypto";
import { serverError } from "../errors.ts";
import type { Steps } from "../scheduling/time-slices.ts";

/** A cursor: the rest of a result that was not sent yet. */
interface Cursor {
  readonly id: number;
  readonly namespace: string;
  readonly session: string;
  /** The remaining batches, with `undefined` when the work may pause. */
  readonly batches: Generator<Uint8Array[] | undefined, Uint8Array[], number>;
  /** The time of its last use by `performance.now`, which no change of the system's clock affects. */
  usedAt: number;
  /** True while a batch is read. */
  busy: boolean;
}

/** The open cursors of a server. */
export type Cursors = ReturnType<typeof createCursors>;

/** The maximum size of a batch that others may follow. Other clients are served in between. */
const maxBatchBytes = 1024 * 1024;
/** The maximum size of a batch without following ones. */
const maxOnlyBatchBytes = 16 * 1024 * 1024 - 16 * 1024;
const maxOpen = 1000;

/** Creates the cursors of a server. If there are more than 1000, the least recently used ones are closed. */
export function createCursors() {
  /** The cursors by ID, with the least recently used one first. */
  const cursors = new Map<number, Cursor>();

  /** Reads the next batch of a cursor. The ID is 0 if the cursor is closed, because nothing is left or only one batch was requested. */
  function* take(cursor: Cursor, size: number, only = false): Steps<{ id: number; batch: Uint8Array[] }> {
    const { id, batches } = cursor;
    const keep = (busy: boolean): void => {
      cursors.delete(id);
      cursors.set(id, Object.assign(cursor, { busy, usedAt: performance.now() }));
    };
    try {
      for (;;) {
        keep(true);
        const { value: batch, done } = batches.next(size);
        if (batch === undefined) {
          yield undefined;
          if (!cursors.has(id)) throw serverError("CursorNotFound", `cursor id ${id} was closed`);
          continue;
        }
        if (done === true || only) return { id: 0, batch };
        cursors.delete(id);
        for (const [oldest, { busy }] of cursors) if (cursors.size >= maxOpen && !busy) cursors.delete(oldest);
        keep(false);
        return { id, batch };
      }
    } finally {
      // As in MongoDB, a cursor is closed after an error.
      if (cursor.busy) cursors.delete(id);
    }
  }

  return {
    /**
     * Reads the first batch of a result, of up to `size` documents. Keeps a cursor if there is more, unless only one batch was requested.
     */
    open(namespace: string, session: string, bodies: Iterable<Uint8Array | undefined>, size: number, only: boolean) {
      const id = randomInt(1, 2 ** 47);
      const batches = splitBatches(bodies, size, only ? maxOnlyBatchBytes : maxBatchBytes);
      return take({ id, namespace, session, batches, usedAt: 0, busy: true }, size, only);
    },
    /** Reads the next batch. An unknown ID is CursorNotFound. A size of 0 means no limit on the number of documents. */
    next(id: number, namespace: string, size: number) {
      const cursor = cursors.get(id);
      if (cursor === undefined) throw serverError("CursorNotFound", `cursor id ${id} not found`);
      if (cursor.busy) throw serverError("CursorInUse", `cursor id ${id} is already in use`);
      if (cursor.namespace === namespace) return take(cursor, size === 0 ? Number.POSITIVE_INFINITY : size);
      throw serverError("Unauthorized", `the cursor ${id} belongs to ${cursor.namespace}, not to ${namespace}`);
    },
    /** Closes a cursor. Returns false if it does not exist. */
    close: (id: number): boolean => cursors.delete(id),
    closeSession(key: string): void {
      for (const { id, session } of cursors.values()) if (session === key) cursors.delete(id);
    },
    /** Closes the cursors that were last used before a time of `performance.now`. */
    closeUnusedSince(time: number): void {
      for (const { id, usedAt } of cursors.values()) if (usedAt < time) cursors.delete(id);
    },
  };
}

/**
 * Splits a result into batches of the requested numbers of documents. A batch ends early after `maxBytes`, but contains at least one
 * document.
 */
function* splitBatches(bodies: Iterable<Uint8Array | undefined>, first: number, maxBytes: number): Cursor["batches"] {
  let [size, batch, bytes] = [first, [] as Uint8Array[], 0];
  for (const body of bodies) {
    if (body === undefined) {
      yield undefined;
      continue;
    }
    bytes += body.length + 12;
    if (batch.length >= size || (batch.length > 0 && bytes > maxBytes)) {
      size = yield batch;
      [batch, bytes] = [[], body.length + 12];
    }
    batch.push(body);
  }
  return batch;
}
