import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import { ExecutionStatus, GateExecutionResponseSchema } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { conflict, invalid, notFound } from "@switchyard/rpc";
import type { Violation } from "@switchyard/text";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import type { Dependencies } from "../dependencies.ts";
import { toPlan } from "../executions/plan.ts";
import { findExecution } from "../lookup.ts";
import { createEmptyMetrics } from "../results/metrics-reader.ts";
import { defaultMargin } from "./comparer.ts";
import { evaluateRules, validateMetrics, validateRules } from "./gate-rules.ts";

type Rpcs = Pick<ServiceImpl<typeof BenchmarkService>, "compareExecutions" | "gateExecution">;

/** Creates the RPCs that compare an execution with an earlier one, and check it against rules. */
export function createComparisonRpcs({ storage, executions, metrics, compare }: Dependencies): Rpcs {
  /** Finds the execution to compare with. Throws unless it is one of the same model, in reach of the caller. */
  async function findBaseline(caller: Caller, candidate: ExecutionRecord, id: string): Promise<ExecutionRecord> {
    const found = await executions.find(id);
    if (found === null || found.organizationId !== caller.organizationId) throw notFound("execution", id, "baseline");
    if (found.modelId !== candidate.modelId) {
      throw invalid([{ field: "baseline", message: "is an execution of another model" }]);
    }
    requireReach(caller, found.projectId);
    return found;
  }

  async function assertMetricsExist(
    { _id }: ExecutionRecord,
    rules: Parameters<typeof validateMetrics>[0],
  ): Promise<void> {
    const plan = await executions.findPlan(_id);
    if (plan === null) throw notFound("execution", _id, "executionId");
    assertNone(validateMetrics(rules, createEmptyMetrics(toPlan(plan).configuration)));
  }

  return {
    async compareExecutions({ executionId, baseline: baselineId, margin = defaultMargin }, context) {
      const caller = getCaller(context);
      const candidate = await findExecution(executions, caller, executionId);
      assertNone([
        ...(baselineId === "" ? [{ field: "baseline", message: "is required" }] : []),
        ...(margin >= 0 && margin <= 1 ? [] : [{ field: "margin", message: "must be between 0 and 1" }]),
      ]);
      const baseline = await findBaseline(caller, candidate, baselineId);
      assertFinished(baseline, candidate);
      return compare(baseline, candidate, margin, context.signal);
    },

    async gateExecution(request, context) {
      const { executionId, baseline: baselineId, rules } = request;
      const caller = getCaller(context);
      const candidate = await findExecution(executions, caller, executionId);
      assertNone(validateRules(request));
      await assertMetricsExist(candidate, rules);
      const baseline = baselineId === "" ? undefined : await findBaseline(caller, candidate, baselineId);
      assertFinished(candidate, ...(baseline === undefined ? [] : [baseline]));
      const comparison = baseline && (await compare(baseline, candidate, defaultMargin, context.signal));
      const outcomes = evaluateRules(rules, await metrics(candidate), comparison);
      const { status } = candidate;
      const passed = status === ExecutionStatus.COMPLETED && outcomes.every((outcome) => outcome.passed);
      const response = create(GateExecutionResponseSchema, { passed, rules: outcomes, status });
      // Nothing is changed, but a POST with an idempotency key is answered once.
      return storage.withKey(
        () => Promise.resolve(response),
        () => response,
      );
    },
  };
}

function assertNone(violations: readonly Violation[]): void {
  if (violations.length > 0) throw invalid(violations.slice(0, 100));
}

function assertFinished(...compared: readonly ExecutionRecord[]): void {
  const running = compared.find(({ status }) => status === ExecutionStatus.RUNNING);
  if (running === undefined) return;
  const message = `The run ${running._id} has not ended. Wait for it, or cancel it.`;
  throw conflict("RUN_NOT_FINISHED", message, { executionId: running._id });
}
