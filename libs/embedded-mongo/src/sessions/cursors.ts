import { randomInt } from "node:crypto";
import { serverError } from "../errors.ts";
import type { Steps } from "../scheduling/time-slices.ts";

/** The rest of a result that was not sent yet. */
interface Cursor {
  readonly id: number;
  readonly namespace: string;
  readonly session: string;
  /** `undefined` where it may pause. */
  readonly batches: Generator<Uint8Array[] | undefined, Uint8Array[], number>;
  usedAt: number;
  /** Whether a batch is being taken. */
  busy: boolean;
}

/** The open cursors of a server. */
export type Cursors = ReturnType<typeof createCursors>;

/** The size of a batch after which a cursor serves others first. */
const maxBatchBytes = 1024 * 1024;
/** The size of a batch that no other follows. */
const maxOnlyBatchBytes = 16 * 1024 * 1024 - 16 * 1024;
const maxOpen = 1000;

/** Creates the list of cursors. Beyond 1000, those not used for longest are closed. */
export function createCursors() {
  /** The least recently used is the first. */
  const cursors = new Map<number, Cursor>();

  /** The next batch; the id is 0 when the cursor is gone, for nothing is left after it or it was to be the `only` one. */
  function* take(cursor: Cursor, size: number, only = false): Steps<{ id: number; batch: Uint8Array[] }> {
    const { id, batches } = cursor;
    const keep = (busy: boolean): void => {
      cursors.delete(id);
      cursors.set(id, Object.assign(cursor, { busy, usedAt: Date.now() }));
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
      // One that failed is gone, as in MongoDB.
      if (cursor.busy) cursors.delete(id);
    }
  }

  return {
    /** Takes the first batch of a result, of up to `size` documents; keeps a cursor when there is more, unless it is to be the only one. */
    open(namespace: string, session: string, bodies: Iterable<Uint8Array | undefined>, size: number, only: boolean) {
      const id = randomInt(1, 2 ** 47);
      const batches = splitBatches(bodies, size, only ? maxOnlyBatchBytes : maxBatchBytes);
      return take({ id, namespace, session, batches, usedAt: 0, busy: true }, size, only);
    },
    /** Takes the next batch. An unknown id is CursorNotFound. A size of 0 means "as many as fit". */
    next(id: number, namespace: string, size: number) {
      const cursor = cursors.get(id);
      if (cursor === undefined) throw serverError("CursorNotFound", `cursor id ${id} not found`);
      if (cursor.busy) throw serverError("CursorInUse", `cursor id ${id} is already in use`);
      if (cursor.namespace === namespace) return take(cursor, size === 0 ? Number.POSITIVE_INFINITY : size);
      throw serverError("Unauthorized", `the cursor ${id} belongs to ${cursor.namespace}, not to ${namespace}`);
    },
    /** Closes a cursor; false when there is none. */
    close: (id: number): boolean => cursors.delete(id),
    closeSession(key: string): void {
      for (const { id, session } of cursors.values()) if (session === key) cursors.delete(id);
    },
    closeUnusedSince(time: number): void {
      for (const { id, usedAt } of cursors.values()) if (usedAt < time) cursors.delete(id);
    },
  };
}

/**
 * Splits a result into batches, each of as many documents as were asked for. A batch ends early after `maxBytes`, but has at least one
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
