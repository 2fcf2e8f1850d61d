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

/** A change that a call has made, for the audit trail. */
export interface NotedChange {
  readonly at: Date;
  readonly organizationId: string;
  readonly tokenId: string;
  readonly userId: string;
  readonly requestId: string;
  /** The method, as "CreateClassifier". */
  readonly method: string;
  readonly targetId: string;
  readonly changes: JsonObject;
}

/** A client of AuditService, as far as an outbox needs it. */
export interface AuditTrail {
  recordChanges(
    request: { changes: MessageInitShape<typeof AdministrativeChangeSchema>[] },
    options: CallOptions,
  ): Promise<unknown>;
}

/** The entries of a service's changes that are on their way into the audit trail, which another service keeps. */
export interface AuditOutbox {
  /** Notes a change in its transaction, and sends its entry when that is over. */
  note(change: NotedChange, session: ClientSession): Promise<void>;
  /** Begins to send, also what was left when the service ended. */
  start(): void;
  /** Resolves when nothing is being sent any more. What is left is sent after the next start. */
  stop(): Promise<void>;
}

/** What an outbox needs. Times are milliseconds. */
export interface AuditOutboxOptions {
  connection: Connection;
  trail: AuditTrail;
  /** The name of the service, as which it sends. */
  service: string;
  /** Told why entries could not be sent. They stay, and are sent again. */
  onError: (error: unknown) => void;
  /** Told once of an entry that the trail refuses as invalid, and why. It is kept in a collection of its own, and holds up no other. */
  onRefused: (entry: NotedChange & { id: string }, error: unknown) => void;
  /** How often it looks for entries that are left. */
  intervalMs?: number;
  /** How long it waits for an answer. */
  patienceMs?: number;
}

/** An entry has the names of routes, 200 of them at most: some entries are always a message that can be sent. */
const batch = 20;
/** How long the next message waits for more entries, in milliseconds. */
const pauseMs = 50;

/**
 * An outbox of audit entries in a service's own database. An entry is there exactly if its change was committed, is sent at least
 * once, the oldest first, and leaves when the trail has it: nothing is lost while the trail is away or when a process is killed.
 * The trail knows an entry by its id. To be created before the storage is made ready, for it has a collection of its own.
 */
export function createAuditOutbox(options: AuditOutboxOptions): AuditOutbox {
  const { connection, trail, service, onError, onRefused, intervalMs = 2_000, patienceMs = 5_000 } = options;
  const { entries, refusals } = outboxModels(connection);
  // Work that is tried again notes several times in one session.
  const awaited = new WeakSet<ClientSession>();
  let sending = false;
  let pause: NodeJS.Timeout | undefined;
  let waiting = false;

  const sweep = createSweep({
    intervalMs,
    onError,
    async work() {
      while (sending) {
        const found = await entries.find().sort({ _id: 1 }).limit(batch).lean<OutboxDocument[]>();
        if (found.length === 0) return;
        await send(found);
      }
    },
  });

  /** Sends entries together. Where the trail refuses them, each is sent by itself, and the one that it refuses so is set aside. */
  async function send(found: readonly OutboxDocument[]): Promise<void> {
    const contextValues = withIdentity({ service, caller: undefined });
    try {
      await trail.recordChanges({ changes: found.map(toMessage) }, { contextValues, timeoutMs: patienceMs });
    } catch (error) {
      if (getProblemFacts(error).code !== Code.InvalidArgument) throw error;
      const [only, ...more] = found;
      if (more.length > 0) for (const entry of found) await send([entry]);
      else if (only !== undefined) await setAside(only, error);
      return;
    }
    await entries.deleteMany({ _id: trusted({ $in: found.map(({ _id }) => _id) }) });
  }

  async function setAside({ _id, ...entry }: OutboxDocument, error: unknown): Promise<void> {
    const reason = getProblemFacts(error).message;
    const { upsertedCount } = await refusals.updateOne(
      { _id },
      { $setOnInsert: { ...entry, reason } },
      { upsert: true },
    );
    // Where the process ended between the two, it was told of before.
    if (upsertedCount > 0) onRefused({ ...entry, id: _id, changes: JSON.parse(entry.changes) as JsonObject }, error);
    await entries.deleteOne({ _id });
  }

  /** Sends at once, and then not for a moment: many changes in a row share a message. */
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
      if (awaited.has(session)) return;
      awaited.add(session);
      // The transaction is over by then, committed or not.
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

/** What is noted of a change that a call has made. */
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
  /** A JSON object, as text: its keys are nobody's field names. */
  readonly changes: string;
}

function toMessage({ _id: id, at, changes, ...rest }: OutboxDocument) {
  return { ...rest, id, at: timestampFromDate(at), changes: JSON.parse(changes) as JsonObject };
}

interface RefusedDocument extends OutboxDocument {
  /** What the trail said. */
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
