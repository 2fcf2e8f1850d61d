import type { WatchChangesResponse } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { setTimeout as sleep } from "node:timers/promises";

/** A client of ChangeService, as far as a reader needs it. */
export interface ChangeSource {
  watchChanges(request: { after?: number }, options: { signal: AbortSignal }): AsyncIterable<WatchChangesResponse>;
}

/** What changed. */
export type ChangeKind = Exclude<WatchChangesResponse["kind"], { case: undefined }>;

/** Reads a feed of changes to its end and on. */
export interface ChangeReader {
  start(): void;
  /** Resolves when no change is being taken in any more. */
  stop(): Promise<void>;
}

/** What a reader needs. Times are milliseconds. */
export interface ChangeReaderOptions {
  /** Where the position is remembered: in the database in which `take` has its effect. */
  connection: Connection;
  source: ChangeSource;
  /**
   * Takes a change in. Once it resolves the effect must be lasting, because the change does not come again for certain; but it may,
   * so the effect must be idempotent. A change that it rejects comes again, and those after it wait.
   */
  take: (change: ChangeKind) => Promise<void>;
  /** Told why the reader had to begin anew. */
  onError: (error: unknown) => void;
  /** After how long without a sign of life the connection counts as broken. */
  idleTimeoutMs?: number;
  /** How long it waits at first before it begins anew, and at most. */
  pauseMs?: { first: number; longest: number };
}

interface PositionDocument {
  /** The name of the feed. */
  _id: string;
  position: number;
}

const feed = "configuration";

/**
 * A reader of the configuration service's changes: each is taken in at least once, in order, also those of a time when it did not
 * run. It begins where it remembers to have been, stores its position after the effect, and connects again when a connection ends.
 * To be created before the storage is made ready, for it has a collection of its own.
 */
export function createChangeReader(options: ChangeReaderOptions): ChangeReader {
  const { source, take, onError, idleTimeoutMs = 10_000, pauseMs = { first: 100, longest: 2_000 } } = options;
  const positions = positionModel(options.connection);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Reads until the connection ends. Throws when it broke, or a change could not be taken in. */
  async function read(wentWell: () => void): Promise<void> {
    let known = (await positions.findById(feed).lean<PositionDocument>())?.position;
    const silence = new AbortController();
    const listen = () => setTimeout(() => silence.abort(), idleTimeoutMs).unref();
    const signal = AbortSignal.any([stopping.signal, silence.signal]);
    let timer = listen();
    try {
      for await (const { kind, position } of source.watchChanges(known === undefined ? {} : { after: known }, {
        signal,
      })) {
        clearTimeout(timer);
        // One that was under way when the reader was stopped is taken in; the next comes again.
        if (stopping.signal.aborted) return;
        if (kind.case !== undefined) await take(kind);
        if (position !== undefined && position !== known) {
          await positions.updateOne({ _id: feed }, { $set: { position } }, { upsert: true });
          known = position;
        }
        wentWell();
        timer = listen();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async function run(): Promise<void> {
    for (let pause = pauseMs.first; !stopping.signal.aborted; pause = Math.min(pauseMs.longest, pause * 2)) {
      try {
        await read(() => (pause = pauseMs.first));
      } catch (error) {
        if (!stopping.signal.aborted) onError(error);
      }
      // Many readers that lost the same service do not all come back at once.
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal: stopping.signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  return {
    start() {
      if (!stopping.signal.aborted) running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function positionModel(connection: Connection): Model<PositionDocument> {
  const schema = new Schema<PositionDocument>(
    { _id: { type: String, required: true }, position: { type: Number, required: true } },
    { versionKey: false },
  );
  return connection.model<PositionDocument>("ChangePosition", schema, "change_positions");
}
