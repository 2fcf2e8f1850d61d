import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { notFound } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";
import type { Dependencies } from "../dependencies.ts";
import { findExecution } from "../lookup.ts";
import { toEventMessage } from "./messages.ts";

/** Creates the RPC that streams the progress of an execution. It polls the database, because any process may run the execution. */
export function createWatchRpc({
  executions,
  settings,
}: Dependencies): Pick<ServiceImpl<typeof BenchmarkService>, "watchExecution"> {
  return {
    async *watchExecution({ executionId }, context) {
      let record = await findExecution(executions, getCaller(context), executionId);
      yield toEventMessage(record);
      while (record.status === ExecutionStatus.RUNNING) {
        await sleep(settings.pollIntervalMs, undefined, { signal: context.signal });
        const current = await executions.find(executionId);
        if (current === null) throw notFound("execution", executionId, "executionId");
        if (current.done !== record.done || current.status !== record.status) yield toEventMessage(current);
        record = current;
      }
    },
  };
}
