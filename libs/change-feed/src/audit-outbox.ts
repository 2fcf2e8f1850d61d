import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { CallOptions, HandlerContext } from "@connectrpc/connect";
import { getCaller, withIdentity } from "@switchyard/access";
import type { AdministrativeChangeSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { getProblemFacts, requestIdKey } from "@switchyard/rpc";
import { Schema, trusted } from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";
import { createSweep, newId } from "@switchyard/storage";

/** A change made by a call, for the audit trail. */
export interface NotedChange {
  readonly at: Date;
  readonly organizationId: string;
  readonly tokenId: string;
  readonly userId: string;
  readonly requestId: string;
  /** The name of the method, for example "CreateClassifier". */
  readonly method: string;
  readonly targetId: string;
  readonly changes: JsonObject;
}

/** The part of a client of AuditService that an outbox uses. */
export interface AuditTrail {
  recordChanges(
    request: { changes: MessageInitShape<typeof AdministrativeChangeSchema>[] },
    options: CallOptions,
  ): Promise<unknown>;
}

/** The outbox of a service for audit entries, which are sent to the audit trail of the configuration service. */
export interface AuditOutbox {
  /** Adds an entry in the transaction of its change, and sends it when the transaction has ended. */
  note(change: NotedChange, session: ClientSession): Promise<void>;
  /** Starts sending, including entries of earlier processes. */
  start(): void;
  /** Stops sending. Resolves when no request is in progress. Remaining entries are sent after the next start. */
  stop(): Promise<void>;
}

/** The options of an outbox. Times are in milliseconds. */
export interface AuditOutboxOptions {
  connection: Connection;
  trail: AuditTrail;
  /** The name of the sending service. */
  service: string;
  /** Called when sending failed. The entries are kept and sent again. */
  onError: (error: unknown) => void;
  /** Called once for an entry that the trail rejects as invalid. It is moved to a separate collection and does not block others. */
  onRefused: (entry: NotedChange & { id: string }, error: unknown) => void;
  /** The interval at which it looks for remaining entries. */
  intervalMs?: number;
  /** Whether no other process uses the database, so that it looks less and less often; false by default. */
  exclusive?: boolean;
  /** The deadline of a request to the trail. */
  timeoutMs?: number;
}

/** The maximum number of entries in a message. An entry contains up to 200 route names, so the message stays small enough. */
const maxBatchSize = 20;
/** The time after which entries that could not be sent are sent again, in milliseconds. */
const retryMs = 2_000;
/** The delay in which further entries are collected for the next message, in milliseconds. */
const pauseMs = 50;

/**
 * Creates an outbox of audit entries in a service's own database. An entry exists exactly if its change was committed. Entries are sent
 * at least once, oldest first, and deleted once the trail has stored them, so none is lost while the trail is unavailable or after a
 * crash. The trail detects duplicates by the entry's id. Create the outbox before the storage is made ready, because it registers
 * collections.
 */
export function createAuditOutbox(options: AuditOutboxOptions): AuditOutbox {
  const { connection, trail, service, onError, onRefused } = options;
  const { intervalMs = 30_000, exclusive = false, timeoutMs = 5_000 } = options;
  const { entries, refusals } = outboxModels(connection);
  // Retried work adds several entries in one session.
  const observedSessions = new WeakSet<ClientSession>();
  let sending = false;
  let pause: NodeJS.Timeout | undefined;
  let waiting = false;

  const sweep = createSweep({
    intervalMs,
    retryMs: Math.min(retryMs, intervalMs),
    idles: () => exclusive,
    onError,
    async work() {
      while (sending) {
        const found = await entries.find().sort({ _id: 1 }).limit(maxBatchSize).lean<OutboxDocument[]>();
        if (found.length === 0) return;
        await send(found);
      }
    },
  });

  /** Sends entries in one message. If the trail rejects it, sends each entry separately and sets the rejected ones aside. */
  async function send(found: readonly OutboxDocument[]): Promise<void> {
    const contextValues = withIdentity({ service, caller: undefined });
    try {
      await trail.recordChanges({ changes: found.map(toMessage) }, { contextValues, timeoutMs });
    } catch (error) {
      if (getProblemFacts(error).code !== Code.InvalidArgument) throw error;
      const [only, ...more] = found;
      if (more.length > 0) for (const entry of found) await send([entry]);
      else if (only !== undefined) await moveToRefused(only, error);
      return;
    }
    await entries.deleteMany({ _id: trusted({ $in: found.map(({ _id }) => _id) }) });
  }

  async function moveToRefused({ _id, ...entry }: OutboxDocument, error: unknown): Promise<void> {
    const reason = getProblemFacts(error).message;
    const { upsertedCount } = await refusals.updateOne(
      { _id },
      { $setOnInsert: { ...entry, reason } },
      { upsert: true },
    );
    // After a crash between the two writes, the entry was already reported.
    if (upsertedCount > 0) onRefused({ ...entry, id: _id, changes: JSON.parse(entry.changes) as JsonObject }, error);
    await entries.deleteOne({ _id });
  }

  /** Sends at once, and then pauses, so that many changes in a row share a message. */
  function sendSoon(): void {
    waiting = sending && pause !== undefined;
    if (!sending || waiting) return;
    void sweep.now();
    pause = setTimeout(() => {
      pause = undefined;
      if (waiting) sendSoon();
    }, pauseMs);
    pause.unref();
  }

  return {
    async note({ changes, ...change }, session) {
      await entries.create([{ _id: newId("aud"), ...change, changes: JSON.stringify(changes) }], { session });
      if (observedSessions.has(session)) return;
      observedSessions.add(session);
      // The session ends after its transaction, whether committed or rolled back.
      session.once("ended", sendSoon);
    },
    start() {
      sending = true;
      void sweep.now();
      sweep.start();
    },
    async stop() {
      sending = false;
      clearTimeout(pause);
      pause = undefined;
      await sweep.stop();
    },
  };
}

/** Creates the audit entry of a change from the context of its call. */
export function toNote(
  context: Pick<HandlerContext, "values"> & { readonly method: { readonly name: string } },
  change: Pick<NotedChange, "at" | "targetId" | "changes">,
): NotedChange {
  const { organizationId, tokenId, userId } = getCaller(context);
  const requestId = context.values.get(requestIdKey);
  return { ...change, organizationId, tokenId, userId, requestId, method: context.method.name };
}

interface OutboxDocument extends Omit<NotedChange, "changes"> {
  /** The id of the entry, here and in the trail. */
  readonly _id: string;
  /** A JSON object as text, because its keys are not valid field names in all cases. */
  readonly changes: string;
}

function toMessage({ _id: id, at, changes, ...rest }: OutboxDocument) {
  return { ...rest, id, at: timestampFromDate(at), changes: JSON.parse(changes) as JsonObject };
}

interface RefusedDocument extends OutboxDocument {
  /** The error message of the trail. */
  readonly reason: string;
}

interface OutboxModels {
  readonly entries: Model<OutboxDocument>;
  readonly refusals: Model<RefusedDocument>;
}

function outboxModels(connection: Connection): OutboxModels {
  const text = { type: String, required: true } as const;
  const fields = {
    _id: text,
    at: { type: Date, required: true },
    organizationId: text,
    tokenId: text,
    userId: text,
    requestId: { type: String, default: "" },
    method: text,
    targetId: text,
    changes: text,
  };
  const schema = new Schema<OutboxDocument>(fields, { versionKey: false });
  const refused = new Schema<RefusedDocument>({ ...fields, reason: String }, { versionKey: false });
  return {
    entries: connection.model<OutboxDocument>("AuditOutboxEntry", schema, "audit_outbox"),
    refusals: connection.model<RefusedDocument>("AuditRefusedEntry", refused, "audit_outbox_refused"),
  };
}
