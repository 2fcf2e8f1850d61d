import { createContextValues } from "@connectrpc/connect";
import { identityKey, withIdentity } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts, invalid, requestIdKey } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { eventually, useDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { createAuditOutbox, toNote } from "./audit-outbox.ts";
import type { AuditOutbox, AuditTrail, NotedChange } from "./audit-outbox.ts";

const rounds = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 200 : 20;
type Sent = Parameters<AuditTrail["recordChanges"]>[0]["changes"][number];

/** Tests the audit outbox, on the given server. */
export function auditOutboxSuite(provide: () => Promise<TestDatabase>): void {
  const database = useDatabase(provide);
  let storage: Storage;
  let outbox: AuditOutbox;
  let errors: unknown[];
  let refused: string[];
  /** Every message that arrived, whether its response was received or not. */
  let arrived: Sent[][];
  let trail: AuditTrail;
  beforeEach(async () => {
    [errors, arrived, refused] = [[], [], []];
    trail = { recordChanges: async ({ changes }) => void arrived.push(changes) };
    await begin(newId("test"));
  });
  afterEach(() => end());

  async function begin(name: string, intervalMs = 600_000): Promise<void> {
    storage = await connectStorage({ uri: database.uri, database: name });
    outbox = createAuditOutbox({
      connection: storage.connection,
      trail: { recordChanges: (request, options) => trail.recordChanges(request, options) },
      service: "classifier",
      onError: (error) => errors.push(error),
      onRefused: ({ targetId }, error) => refused.push(`${targetId}: ${getProblemFacts(error).message}`),
      intervalMs,
    });
    await storage.ready();
  }
  async function end(): Promise<void> {
    await outbox.stop();
    await storage.close();
  }
  const restart = async (intervalMs?: number) => {
    const { name } = storage.connection;
    await end();
    await begin(name, intervalMs);
    outbox.start();
  };

  const at = new Date("2026-03-04T05:06:07.089Z");
  const change = (targetId: string): NotedChange => ({
    ...{ at, organizationId: "org_1", tokenId: "tok_1", userId: "usr_1", requestId: "req-1" },
    ...{ method: "CreateClassifier", targetId, changes: { name: { from: null, "a.$b": [1, "x"] } } },
  });
  const made = (targetId: string) => storage.atomically((session) => outbox.note(change(targetId), session));
  const left = () => storage.connection.collection("audit_outbox").countDocuments({});
  const emptied = () => eventually("the outbox is empty", async () => ((await left()) === 0 ? true : undefined));
  const targets = () => arrived.flat().map(({ targetId }) => targetId);

  it("sends committed entries at once, with the identity of the service, and removes them", async () => {
    let identity: unknown;
    trail = {
      recordChanges: async ({ changes }, { contextValues }) => {
        identity = contextValues?.get(identityKey);
        arrived.push(changes);
      },
    };
    outbox.start();
    // The entry is sent at the end of the transaction, because the next periodic run is minutes away.
    await made("clf_1");
    await emptied();
    const { at: _, ...said } = change("clf_1");
    expect(arrived).toMatchObject([[{ ...said, at: { seconds: 1772600767n, nanos: 89_000_000 } }]]);
    expect(arrived[0]?.[0]?.id).toMatch(/^aud_[0-9a-z]{26}$/);
    expect(identity).toEqual({ service: "classifier", caller: undefined });
    expect(errors).toEqual([]);
  });

  it("sends no entry for a transaction that was rolled back, and one for a transaction that was retried", async () => {
    outbox.start();
    const failing = storage.atomically(async (session) => {
      await outbox.note(change("clf_0"), session);
      throw new Error("refused");
    });
    await expect(failing).rejects.toThrow("refused");
    const counters = storage.connection.collection<{ _id: string; value: number }>("counters");
    await counters.insertOne({ _id: "all", value: 0 });
    const targetIds = Array.from({ length: rounds }, (_, index) => `clf_${index + 1}`);
    const noted = (targetId: string) =>
      storage.atomically(async (session) => {
        await outbox.note(change(targetId), session);
        await counters.updateOne({ _id: "all" }, { $inc: { value: 1 } }, { session });
      });
    // There are enough concurrent transactions to cause retries. On a busy machine, some may fail with STORAGE_BUSY.
    for (let at = 0; at < targetIds.length; at += 20) {
      const changes = targetIds.slice(at, at + 20).map(async (targetId) => {
        while ((await noted(targetId).catch(getProblemFacts))?.reason === "STORAGE_BUSY");
      });
      await Promise.all(changes);
    }
    await emptied();
    expect(targets().toSorted()).toEqual(targetIds.toSorted());
  });

  it("keeps entries while the audit trail is unavailable, and then sends them in order", async () => {
    const { recordChanges } = trail;
    trail = { recordChanges: () => Promise.reject(new Error("away")) };
    await restart(5);
    const made50 = Array.from({ length: 50 }, (_, index) => `clf_${index}`);
    for (const targetId of made50) await made(targetId);
    await eventually("the failure", async () => (errors.length > 0 ? true : undefined));
    expect(await left()).toBe(50);
    expect(arrived).toEqual([]);
    trail = { recordChanges };
    await emptied();
    expect(targets()).toEqual(made50);
    // No message exceeds the maximum size.
    expect(arrived.map(({ length }) => length)).toEqual([20, 20, 10]);
  });

  it("sets aside entries that the audit trail rejects, reports them once, and sends all others once", async () => {
    const { recordChanges } = trail;
    trail = {
      async recordChanges(request, options) {
        const at = request.changes.findIndex(({ targetId }) => targetId?.startsWith("bad"));
        if (at >= 0) throw invalid([{ field: `changes[${at}].method`, message: "is unknown" }]);
        await recordChanges(request, options);
      },
    };
    const noted = ["bad_0", ...Array.from({ length: 30 }, (_, index) => `clf_${index}`), "bad_1", "clf_30"];
    for (const targetId of noted) await made(targetId);
    await restart(5);
    await emptied();
    expect(targets()).toEqual(noted.filter((targetId) => targetId.startsWith("clf")));
    expect(refused).toEqual(["bad_0", "bad_1"].map((targetId) => `${targetId}: changes[0].method: is unknown`));
    const kept = await storage.connection.collection("audit_outbox_refused").find().sort({ _id: 1 }).toArray();
    expect(kept).toMatchObject(["bad_0", "bad_1"].map((targetId) => ({ targetId, method: "CreateClassifier" })));
    expect(errors).toEqual([]);
  });

  it("sends an entry again with the same ID if the response was lost", async () => {
    const { recordChanges } = trail;
    trail = {
      async recordChanges(request, options) {
        await recordChanges(request, options);
        trail = { recordChanges };
        throw new Error("the connection broke");
      },
    };
    await restart(5);
    await made("clf_1");
    await emptied();
    expect(targets()).toEqual(["clf_1", "clf_1"]);
    expect(new Set(arrived.flat().map(({ id }) => id)).size).toBe(1);
  });

  it("sends the entries of a previous process", async () => {
    await made("clf_1");
    expect([await left(), arrived]).toEqual([1, []]);
    await restart();
    await emptied();
    expect(targets()).toEqual(["clf_1"]);
  });

  it("records the caller and the method of a change", () => {
    const caller = { tokenId: "tok_1", userId: "usr_1", organizationId: "org_1" } as Caller;
    const values = withIdentity({ service: "gateway", caller }, createContextValues().set(requestIdKey, "req-1"));
    const { targetId, changes } = change("clf_1");
    const context = { values, method: { name: "CreateClassifier" } };
    expect(toNote(context, { at, targetId, changes })).toEqual(change("clf_1"));
  });
}
