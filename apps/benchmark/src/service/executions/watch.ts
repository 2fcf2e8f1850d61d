import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { notFound } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";
import type { Dependencies } from "../dependencies.ts";
import { findExecution } from "../lookup.ts";
import { eventMessage } from "./messages.ts";

/** The RPC that tells how far an execution is. Any process may be at work on it, so its document is looked at again and again. */
export function createWatchRpc({
  executions,
  settings,
}: Dependencies): Pick<ServiceImpl<typeof BenchmarkService>, "watchExecution"> {
  return {
    async *watchExecution({ executionId }, context) {
      let record = await findExecution(executions, getCaller(context), executionId);
      yield eventMessage(record);
      while (record.status === ExecutionStatus.RUNNING) {
        await sleep(settings.pollIntervalMs, undefined, { signal: context.signal });
        const now = await executions.find(executionId);
        if (now === null) throw notFound("execution", executionId, "executionId");
        if (now.done !== record.done || now.status !== record.status) yield eventMessage(now);
        record = now;
      }
    },
  };
}
