import type { Message } from "@bufbuild/protobuf";
import type { AuditOutbox, DeletedProjects, NotedChange } from "@switchyard/change-feed";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { notFound } from "@switchyard/rpc";
import { createProgressingStore, createRunEvents, toHeldLeaseFilter } from "@switchyard/storage";
import type { Lease, LeasedStore, RunEvents, Storage } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Typing } from "../domain/summary/savings.ts";
import type { Usage } from "@switchyard/statistics";
import { toPlace } from "./results.ts";
import { createExecutionSchema, createPlanSchema, createRemovalSchema } from "./execution-documents.ts";
import type {
  ExecutionDocument,
  ExecutionRecord,
  Failure,
  PlanDocument,
  RemovalDocument,
} from "./execution-documents.ts";

/** The end of an execution as its worker reports it. */
export type Ending =
  { status: typeof ExecutionStatus.COMPLETED } | { status: typeof ExecutionStatus.FAILED; error: Failure };

/** Files that a worker has finished. */
export interface Progress {
  /** The entries of their results (see `toEntry`). */
  readonly entries: readonly number[];
  /** The number of those that failed. */
  readonly failed: number;
  /** The number of those that were left out. */
  readonly leftOut: number;
  /** What a person need not type. */
  readonly typing: Typing;
  /** What a language model used, or null. */
  readonly usage: Usage | null;
}

/** A call that changes an execution. Its response and its audit entry are committed with the change. */
export interface ChangingCall<ResponseValue> {
  /** The response, which is stored with the idempotency key. */
  readonly response: ResponseValue;
  /** The audit entry, if something changes. */
  readonly note: NotedChange;
}

/** Stores executions, their leases and their plans. */
export interface ExecutionStore extends LeasedStore<ExecutionRecord>, RunEvents {
  insert(record: ExecutionRecord, plan: Omit<PlanDocument, "_id">, call: ChangingCall<Message>): Promise<void>;
  find(id: string): Promise<ExecutionRecord | null>;
  /** Finds the plan of an execution. Returns null if the execution was deleted. */
  findPlan(id: string): Promise<PlanDocument | null>;
  /** Lists all executions of a project, newest first. */
  list(projectId: string, organizationId: string): Promise<ExecutionRecord[]>;
  listIdsOfProject(projectId: string): Promise<string[]>;
  /** Makes results count with one write. Returns false if the lease was lost. The results then never count. */
  countResults(id: string, lease: Lease, progress: Progress, now: Date): Promise<boolean>;
  /** Lists the entries of the results that count, in the order of files. */
  listFinished(id: string): Promise<number[]>;
  /** Ends an execution. Returns false if the lease was lost. */
  finish(id: string, lease: Lease, ending: Ending, now: Date): Promise<boolean>;
  /**
   * Fails executions without a finished file since a time, whoever holds the lease. The time in which nobody holds it does not count. Returns
   * their IDs.
   */
  failStalled(since: Date, error: Failure, now: Date, limit: number): Promise<string[]>;
  /** Cancels a running execution. One that has ended does not change. Returns null if it was deleted. */
  cancel(
    id: string,
    now: Date,
    call: ChangingCall<(record: ExecutionRecord) => Message>,
  ): Promise<ExecutionRecord | null>;
  /**
   * Deletes an execution, and a running one only with `evenRunning`. Its results remain until they are removed (see `listRemovals`).
   * Returns false if it was not deleted.
   */
  remove(id: string, options: { evenRunning: boolean; note?: NotedChange }): Promise<boolean>;
  /** Lists deleted executions whose results may still exist. */
  listRemovals(limit: number): Promise<string[]>;
  /** Marks the results of a deleted execution as removed. */
  completeRemoval(id: string): Promise<void>;
}

const running = ExecutionStatus.RUNNING;
/** The projection without the list of results. */
const fields = { finished: 0 } as const;

/** Creates the store of executions. */
export function createExecutionStore(
  { connection, atomically }: Pick<Storage, "connection" | "atomically">,
  deletedProjects: Pick<DeletedProjects, "has">,
  outbox: Pick<AuditOutbox, "note">,
): ExecutionStore {
  const executions = connection.model<ExecutionDocument>("Execution", createExecutionSchema(), "executions");
  const plans = connection.model<PlanDocument>("Plan", createPlanSchema(), "plans");
  const removals = connection.model<RemovalDocument>("Removal", createRemovalSchema(), "removals");
  const whileHeld = (id: string, lease: Lease) => ({ _id: id, status: running, ...toHeldLeaseFilter(lease) });

  const leases = createProgressingStore<ExecutionDocument>(executions, { status: running }, fields);

  return {
    ...leases,
    ...createRunEvents(executions, ExecutionStatus),

    async insert(record, plan, { response, note }) {
      await atomically(
        async (session) => {
          if (await deletedProjects.has(record.projectId, session)) {
            throw notFound("project", record.projectId, "projectId");
          }
          await executions.create([{ ...record, finished: [] }], { session });
          await plans.create([{ _id: record._id, ...plan }], { session });
          await outbox.note(note, session);
        },
        () => response,
      );
    },

    find: (id) => executions.findById(id, fields).lean(),

    findPlan: (id) => plans.findById(id).lean(),

    list: (projectId, organizationId) =>
      executions.find({ projectId, organizationId }, fields).sort({ _id: -1 }).lean(),

    async listIdsOfProject(projectId) {
      return (await executions.find({ projectId }, { _id: 1 }).lean()).map(({ _id }) => _id);
    },

    async acquire(id, owner, now, until) {
      const acquired = await leases.acquire(id, owner, now, until);
      if (acquired === null || acquired.startedAt !== null) return acquired;
      // The stall timeout starts when the first worker acquires the execution.
      return executions
        .findOneAndUpdate(
          whileHeld(id, acquired.lease),
          { $set: { startedAt: now, progressAt: now } },
          { returnDocument: "after", projection: fields },
        )
        .lean();
    },

    async countResults(id, lease, { entries, failed, leftOut, typing, usage }, now) {
      const { cost = null, ...tokens } = usage ?? {};
      const hasUnknownCost = usage !== null && cost === null && usage.inputTokens + usage.outputTokens > 0;
      const typed = { typedCells: typing.cells, keystrokes: typing.keystrokes };
      const updated = await executions.updateOne(whileHeld(id, lease), {
        $push: { finished: { $each: [...entries] } },
        $inc: { done: entries.length, failed, leftOut, ...typed, ...tokens, ...(cost === null ? {} : { cost }) },
        $set: { progressAt: now, ...(hasUnknownCost ? { hasUnknownCost } : {}) },
      });
      return updated.matchedCount > 0;
    },

    async listFinished(id) {
      const found = await executions.findById(id, { finished: 1 }).lean();
      return (found?.finished ?? []).sort((one, other) => toPlace(one) - toPlace(other));
    },

    async finish(id, lease, ending, now) {
      const finished = await executions
        .findOneAndUpdate(whileHeld(id, lease), { $set: { ...ending, completedAt: now } })
        .lean();
      return finished !== null;
    },

    async failStalled(since, error, now, limit) {
      const ended: string[] = [];
      for (const id of await leases.listStalled(since, now, limit)) {
        const stalled = { _id: id, status: running, progressAt: mongoose.trusted({ $lt: since }) };
        const end = { $set: { status: ExecutionStatus.FAILED, error, completedAt: now } };
        if ((await executions.findOneAndUpdate(stalled, end).lean()) !== null) ended.push(id);
      }
      return ended;
    },

    async cancel(id, now, { response, note }) {
      const end = { $set: { status: ExecutionStatus.CANCELLED, completedAt: now } };
      return atomically(
        async (session) => {
          const options = { returnDocument: "after" as const, projection: fields, session };
          const cancelled = await executions.findOneAndUpdate({ _id: id, status: running }, end, options).lean();
          if (cancelled === null) return executions.findById(id, fields, { session }).lean();
          await outbox.note(note, session);
          return cancelled;
        },
        (record) => (record === null ? undefined : response(record)),
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

    async listRemovals(limit) {
      return (await removals.find().limit(limit).lean()).map(({ _id }) => _id);
    },

    async completeRemoval(id) {
      await removals.deleteOne({ _id: id });
    },
  };
}
