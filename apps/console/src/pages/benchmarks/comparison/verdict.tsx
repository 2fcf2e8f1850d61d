import type { MetricComparison } from "@switchyard/client";
import { Status } from "../../../controls/status.tsx";
import { texts } from "../../../texts/index.ts";

/** What a difference means, in a word. */
export function Verdict({ verdict }: Pick<MetricComparison, "verdict">) {
  return <Status tone={tones[verdict]}>{texts.benchmarks.comparison.verdicts[verdict]}</Status>;
}

const tones = { IMPROVED: "good", REGRESSED: "bad", EQUIVALENT: "neutral", INCONCLUSIVE: "waiting" } as const;
