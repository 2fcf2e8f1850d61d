import type { CellResult } from "@switchyard/client";
import { Status } from "../../../controls/status.tsx";
import { texts } from "../../../texts/index.ts";

/** The outcome of a cell in a word. */
export function Outcome({ outcome }: Pick<CellResult, "outcome">) {
  return <Status tone={tones[outcome]}>{texts.benchmarks.outcomes[outcome]}</Status>;
}

const tones = { CORRECT: "good", CORRECTLY_EMPTY: "good", WRONG: "bad", INVENTED: "bad", MISSING: "bad" } as const;
