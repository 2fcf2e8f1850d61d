import { FileResultStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { notFound } from "@switchyard/rpc";
import { getScoredColumns, packOutcomes, unpackOutcomes } from "../../domain/comparison/outcome-grid.ts";
import type { ComparedResult } from "../../domain/comparison/paired-file.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import { toEntry } from "../../store/results.ts";
import type { ResultStore } from "../../store/results.ts";
import { toPlan } from "../executions/plan.ts";
import type { Plan } from "../executions/plan.ts";

/** The stores that a comparison reads. */
export interface ComparedStores {
  readonly executions: Pick<ExecutionStore, "findPlan" | "listFinished">;
  readonly results: Pick<ResultStore, "readCompared" | "findScore">;
}

/** A file that two executions scored with the same accepted values. */
export interface SharedResult {
  readonly fileId: string;
  readonly baseline: ComparedResult;
  readonly candidate: ComparedResult;
}

/** An execution that is compared. */
export interface ComparedExecution {
  readonly id: string;
  readonly plan: Plan;
}

/** Loads the plan of an execution. Throws NOT_FOUND if it was deleted meanwhile. */
export async function loadCompared(
  { executions }: ComparedStores,
  id: string,
  field: string,
): Promise<ComparedExecution> {
  const plan = await executions.findPlan(id);
  if (plan === null) throw notFound("execution", id, field);
  return { id, plan: toPlan(plan) };
}

/**
 * Reads the results of two executions side by side, in the order of files: of files that both scored, with the same accepted values. Memory
 * does not grow with the number of results.
 */
export async function* readShared(
  stores: ComparedStores,
  baseline: ComparedExecution,
  candidate: ComparedExecution,
): AsyncGenerator<SharedResult, void> {
  const revisions = new Map(baseline.plan.files.map(({ fileId, revision }) => [fileId, revision]));
  const shared = new Set(
    candidate.plan.files.flatMap(({ fileId, revision }) => (revisions.get(fileId) === revision ? [fileId] : [])),
  );
  const others = readCounted(stores, baseline);
  try {
    let other = await others.next();
    for await (const { fileId, result } of readCounted(stores, candidate)) {
      if (!shared.has(fileId)) continue;
      while (other.done !== true && other.value.fileId < fileId) other = await others.next();
      if (other.done === true) return;
      if (other.value.fileId === fileId) yield { fileId, baseline: other.value.result, candidate: result };
    }
  } finally {
    await others.return();
  }
}

/** Reads the results of an execution that count, without files that were left out. */
async function* readCounted(
  { executions, results }: ComparedStores,
  { id, plan: { configuration } }: ComparedExecution,
): AsyncGenerator<{ fileId: string; result: ComparedResult }, void> {
  const entries = new Set(await executions.listFinished(id));
  const widths = configuration.tables.map((table) => getScoredColumns(configuration, table.id).length);
  for await (const record of results.readCompared(id)) {
    const { fileId, status, anls } = record;
    if (!entries.has(toEntry(record)) || status === FileResultStatus.LEFT_OUT) continue;
    // Older results have only the whole score.
    const grid = record.grid ?? packOutcomes(configuration, (await results.findScore(record))?.cells ?? []);
    const grids = unpackOutcomes(grid, widths);
    yield { fileId, result: { grids, failed: status === FileResultStatus.FAILED, anls } };
  }
}
