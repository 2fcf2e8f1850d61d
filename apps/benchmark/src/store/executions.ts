import type { Message } from "@bufbuild/protobuf";
import type { AuditOutbox, DeletedProjects, NotedChange } from "@switchyard/change-feed";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { notFound } from "@switchyard/rpc";
import {
  renewLease,
  releaseLease,
  toHeldLeaseFilter,
  toForeignLeaseFilter,
  toFutureLeaseFilter,
} from "@switchyard/storage";
import { toExpiredLeaseFilter, acquireLease } from "@switchyard/storage";
import type { Lease, Storage } from "@switchyard/storage";
import mongoose from "mongoose";
import { toPlace } from "./results.ts";
import { executionSchema, planSchema, removalSchema } from "./execution-documents.ts";
import type {
  ExecutionDocument,
  ExecutionRecord,
  Failure,
  PlanDocument,
  RemovalDocument,
} from "./execution-documents.ts";

/** How a run ended for its worker. */
export type Ending =
  { status: typeof ExecutionStatus.COMPLETED } | { status: typeof ExecutionStatus.FAILED; error: Failure };

/** Files that are finished. */
export interface Advance {
  /** The entries of their results, see `toEntry`. */
  readonly entries: readonly number[];
  /** How many of them failed. */
  readonly failed: number;
}

/** A call that changes an execution. What follows of it is committed with the change. */
export interface ChangingCall<Answer> {
  /** What it answers: it is kept with its idempotency key. */
  readonly answer: Answer;
  /** What the audit trail is told, if something changes. */
  readonly note: NotedChange;
}

/** Executions, their leases, and what was fixed when they were created. */
export interface ExecutionStore {
  insert(record: ExecutionRecord, plan: Omit<PlanDocument, "_id">, call: ChangingCall<Message>): Promise<void>;
  find(id: string): Promise<ExecutionRecord | null>;
  /** What was fixed at creation, as bytes; null when the execution is gone. */
  plan(id: string): Promise<PlanDocument | null>;
  /** All of a project, newest first. */
  list(projectId: string, organizationId: string): Promise<ExecutionRecord[]>;
  ofProject(projectId: string): Promise<string[]>;
  withIds(ids: readonly string[]): Promise<ExecutionRecord[]>;
  /** Running ones that nobody works on, the longest without first. */
  due(now: Date, limit: number): Promise<ExecutionRecord[]>;
  /** Takes an execution whose lease is over: the next fence. Null when another was quicker. */
  take(id: string, owner: string, now: Date, until: Date): Promise<ExecutionRecord | null>;
  /** Keeps the leases of an owner. */
  extend(ids: readonly string[], owner: string, now: Date, until: Date): Promise<void>;
  /** Frees the leases of all owners but one: for who knows that no other is alive. */
  freeOthers(owner: string): Promise<void>;
  /** Frees leases that were taken at a time that is yet to come. */
  freeFuture(now: Date): Promise<void>;
  /** Gives a lease back, for others to take at once. */
  release(id: string, lease: Lease): Promise<void>;
  /** Makes results count, by one write. False when the lease is no longer the one given: they then never count. */
  advance(id: string, lease: Lease, advance: Advance, now: Date): Promise<boolean>;
  /** The entries of the results that count, in the order of files. */
  finished(id: string): Promise<number[]>;
  /** Ends a run. False when the lease is no longer the one given. */
  finish(id: string, lease: Lease, ending: Ending, now: Date): Promise<boolean>;
  /** Ends runs of which no file was finished since a time, whoever holds them. Answers their ids. */
  failStalled(since: Date, error: Failure, now: Date, limit: number): Promise<string[]>;
  /** Ends a running one for good; one that has ended stays as it is. Null when it is gone. */
  cancel(
    id: string,
    now: Date,
    call: ChangingCall<(record: ExecutionRecord) => Message>,
  ): Promise<ExecutionRecord | null>;
  /** Removes an execution, unless it is running and must not be; its results are left for `removals`. False when it stays. */
  remove(id: string, options: { evenRunning: boolean; note?: NotedChange }): Promise<boolean>;
  /** Executions that are gone and whose results may still be there. */
  removals(limit: number): Promise<string[]>;
  removed(id: string): Promise<void>;
}

const running = ExecutionStatus.RUNNING;
/** The fields of a record, for reads that leave the list of results where it is. */
const fields = { finished: 0 } as const;

/** Creates the store of executions. */
export function createExecutionStore(
  { connection, atomically }: Pick<Storage, "connection" | "atomically">,
  deletedProjects: Pick<DeletedProjects, "has">,
  outbox: Pick<AuditOutbox, "note">,
): ExecutionStore {
  const executions = connection.model<ExecutionDocument>("Execution", executionSchema(), "executions");
  const plans = connection.model<PlanDocument>("Plan", planSchema(), "plans");
  const removals = connection.model<RemovalDocument>("Removal", removalSchema(), "removals");
  const held = (id: string, lease: Lease) => ({ _id: id, status: running, ...toHeldLeaseFilter(lease) });

  return {
    async insert(record, plan, { answer, note }) {
      await atomically(
        async (session) => {
          if (await deletedProjects.has(record.projectId, session)) {
            throw notFound("project", record.projectId, "projectId");
          }
          await executions.create([{ ...record, finished: [] }], { session });
          await plans.create([{ _id: record._id, ...plan }], { session });
          await outbox.note(note, session);
        },
        () => answer,
      );
    },

    find: (id) => executions.findById(id, fields).lean(),

    plan: (id) => plans.findById(id).lean(),

    list: (projectId, organizationId) =>
      executions.find({ projectId, organizationId }, fields).sort({ _id: -1 }).lean(),

    async ofProject(projectId) {
      return (await executions.find({ projectId }, { _id: 1 }).lean()).map(({ _id }) => _id);
    },

    withIds: (ids) => executions.find({ _id: mongoose.trusted({ $in: [...ids] }) }, fields).lean(),

    async due(now, limit) {
      return executions
        .find({ status: running, ...toExpiredLeaseFilter(now) }, fields)
        .sort({ "lease.until": 1 })
        .limit(limit)
        .lean();
    },

    async take(id, owner, now, until) {
      const { $set, $inc } = acquireLease(owner, now, until);
      const taken = await executions
        .findOneAndUpdate(
          { _id: id, status: running, ...toExpiredLeaseFilter(now) },
          { $set, $inc },
          { returnDocument: "after", projection: fields },
        )
        .lean();
      if (taken === null || taken.startedAt !== null) return taken;
      // Its time to finish a file begins with the first worker.
      return executions
        .findOneAndUpdate(
          held(id, taken.lease),
          { $set: { startedAt: now, progressAt: now } },
          { returnDocument: "after", projection: fields },
        )
        .lean();
    },

    async extend(ids, owner, now, until) {
      await executions.updateMany(
        { _id: mongoose.trusted({ $in: [...ids] }), status: running, "lease.owner": owner },
        renewLease(now, until),
      );
    },

    async freeOthers(owner) {
      await executions.updateMany({ status: running, ...toForeignLeaseFilter(owner) }, releaseLease());
    },

    async freeFuture(now) {
      await executions.updateMany({ status: running, ...toFutureLeaseFilter(now) }, releaseLease());
    },

    async release(id, lease) {
      await executions.updateOne(held(id, lease), { $set: { "lease.owner": "", "lease.until": new Date(0) } });
    },

    async advance(id, lease, { entries, failed }, now) {
      const advanced = await executions.updateOne(held(id, lease), {
        $push: { finished: { $each: [...entries] } },
        $inc: { done: entries.length, failed },
        $set: { progressAt: now },
      });
      return advanced.matchedCount > 0;
    },

    async finished(id) {
      const found = await executions.findById(id, { finished: 1 }).lean();
      return (found?.finished ?? []).sort((one, other) => toPlace(one) - toPlace(other));
    },

    async finish(id, lease, ending, now) {
      const finished = await executions
        .findOneAndUpdate(held(id, lease), { $set: { ...ending, completedAt: now } })
        .lean();
      return finished !== null;
    },

    async failStalled(since, error, now, limit) {
      const stalled = { status: running, progressAt: mongoose.trusted({ $lt: since }) };
      const found = await executions.find(stalled, { _id: 1 }).limit(limit).lean();
      const ended: string[] = [];
      for (const { _id } of found) {
        const end = { $set: { status: ExecutionStatus.FAILED, error, completedAt: now } };
        if ((await executions.findOneAndUpdate({ ...stalled, _id }, end).lean()) !== null) ended.push(_id);
      }
      return ended;
    },

    async cancel(id, now, { answer, note }) {
      const end = { $set: { status: ExecutionStatus.CANCELLED, completedAt: now } };
      return atomically(
        async (session) => {
          const options = { returnDocument: "after" as const, projection: fields, session };
          const cancelled = await executions.findOneAndUpdate({ _id: id, status: running }, end, options).lean();
          if (cancelled === null) return executions.findById(id, fields, { session }).lean();
          await outbox.note(note, session);
          return cancelled;
        },
        (record) => (record === null ? undefined : answer(record)),
      );
    },

    async remove(id, { evenRunning, note }) {
      return atomically(async (session) => {
        const ended = evenRunning ? {} : { status: mongoose.trusted({ $ne: running }) };
        const removed = await executions.findOneAndDelete({ _id: id, ...ended }, { session }).lean();
        if (removed === null) return false;
        await plans.deleteOne({ _id: id }, { session });
        await removals.create([{ _id: id }], { session });
        if (note !== undefined) await outbox.note(note, session);
        return true;
      });
    },

    async removals(limit) {
      return (await removals.find().limit(limit).lean()).map(({ _id }) => _id);
    },

    async removed(id) {
      await removals.deleteOne({ _id: id });
    },
  };
}
