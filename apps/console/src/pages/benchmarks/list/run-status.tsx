import type { Execution } from "@switchyard/client";
import { Status } from "../../../controls/status.tsx";
import { texts } from "../../../texts/index.ts";

/** The status of a run. */
export function RunStatus({ status }: Pick<Execution, "status">) {
  return <Status tone={tones[status]}>{texts.benchmarks.statuses[status]}</Status>;
}

const tones = { RUNNING: "waiting", COMPLETED: "good", FAILED: "bad", CANCELLED: "neutral" } as const;
