import type { WatchChangesResponse } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import { Schema } from "mongoose";
import type { Connection, Model } from "mongoose";
import { setTimeout as sleep } from "node:timers/promises";

/** The part of a client of ChangeService that a reader uses. */
export interface ChangeSource {
  watchChanges(request: { after?: number }, options: { signal: AbortSignal }): AsyncIterable<WatchChangesResponse>;
}

/** A change, by its kind. */
export type ChangeKind = Exclude<WatchChangesResponse["kind"], { case: undefined }>;

/** A reader that follows a change feed. */
export interface ChangeReader {
  start(): void;
  /** Stops reading. Resolves when no change is being processed. */
  stop(): Promise<void>;
}

/** The options of a reader. Times are in milliseconds. */
export interface ChangeReaderOptions {
  /** The database of the position: the one that `onChange` writes to. */
  connection: Connection;
  source: ChangeSource;
  /**
   * Processes a change. The effect must be durable when it resolves. It must be idempotent, because a change may be delivered more than
   * once. If it rejects, the change is delivered again, before later ones.
   */
  onChange: (change: ChangeKind) => Promise<void>;
  /** Called when reading failed. The reader then reconnects. */
  onError: (error: unknown) => void;
  /** The time without a message after which the connection counts as broken. */
  idleTimeoutMs?: number;
  /** The delay before reconnecting: the initial one, doubled after each failure up to the maximum. */
  retryDelayMs?: { initial: number; max: number };
}

interface PositionDocument {
  /** The name of the feed. */
  _id: string;
  position: number;
}

const feed = "configuration";

/**
 * Creates a reader of the configuration service's changes. Each change is processed at least once and in order, including those made
 * while the reader was not running. It resumes from its stored position, stores the position after each effect, and reconnects when a
 * connection ends. Create the reader before the storage is made ready, because it registers a collection.
 */
export function createChangeReader(options: ChangeReaderOptions): ChangeReader {
  const { source, onChange, onError, idleTimeoutMs = 10_000, retryDelayMs = { initial: 100, max: 2_000 } } = options;
  const positions = positionModel(options.connection);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Reads until the connection ends. Throws if the connection breaks or a change cannot be processed. */
  async function read(onProgress: () => void): Promise<void> {
    let lastPosition = (await positions.findById(feed).lean<PositionDocument>())?.position;
    const idle = new AbortController();
    const startIdleTimer = () => setTimeout(() => idle.abort(), idleTimeoutMs).unref();
    const signal = AbortSignal.any([stopping.signal, idle.signal]);
    let timer = startIdleTimer();
    try {
      for await (const { kind, position } of source.watchChanges(
        lastPosition === undefined ? {} : { after: lastPosition },
        {
          signal,
        },
      )) {
        clearTimeout(timer);
        // A change in progress is completed; the next one is delivered again after a restart.
        if (stopping.signal.aborted) return;
        if (kind.case !== undefined) await onChange(kind);
        if (position !== undefined && position !== lastPosition) {
          await positions.updateOne({ _id: feed }, { $set: { position } }, { upsert: true });
          lastPosition = position;
        }
        onProgress();
        timer = startIdleTimer();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async function run(): Promise<void> {
    for (let pause = retryDelayMs.initial; !stopping.signal.aborted; pause = Math.min(retryDelayMs.max, pause * 2)) {
      try {
        await read(() => (pause = retryDelayMs.initial));
      } catch (error) {
        if (!stopping.signal.aborted) onError(error);
      }
      // Jitter, so that many readers do not reconnect at once.
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
