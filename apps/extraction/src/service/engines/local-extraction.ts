import { unlessAborted } from "@switchyard/rpc";
import { engine } from "../../domain/engines/local/version.ts";
import type { Extractor } from "../extractions/extractor.ts";
import type { LearnedState } from "../learning/entry.ts";
import { mayLearn } from "../learning/learning.ts";
import type { Learning } from "../learning/learning.ts";
import type { ExtractionSubject, TextExtraction } from "./extraction.ts";

/** What {@link createLocalExtraction} needs. */
interface LocalExtractionDependencies {
  extractor: Pick<Extractor, "extract">;
  learning: Pick<Learning, "current" | "without">;
}

/** Creates the extraction by the local engine, with what it learned if the configuration lets it. */
export function createLocalExtraction({ extractor, learning }: LocalExtractionDependencies): TextExtraction {
  async function findLearned({ file, configuration, model, crossFitted }: ExtractionSubject): Promise<{
    state: LearnedState | null;
    leftOut: string[];
  }> {
    if (model === null || !mayLearn(configuration)) return { state: null, leftOut: [] };
    if (crossFitted) return learning.without(file, model, configuration);
    return { state: await learning.current(model, configuration), leftOut: [] };
  }

  return async (subject, text, signal) => {
    const { state, leftOut } = await findLearned(subject);
    const startedAt = performance.now();
    const work = { engine: "local", learned: state } as const;
    const result = await unlessAborted(extractor.extract(text, subject.configuration, work), signal);
    const extractMs = performance.now() - startedAt;
    if ("failure" in result) return { result: { again: result.failure, cause: result.cause }, leftOut, extractMs };
    const used = {
      name: engine.name,
      version: state?.version ?? engine.version,
      modelName: null,
      learnedFrom: state?.learnedFrom ?? 0,
    };
    return { result: { outcome: { ...result, engine: used } }, leftOut, extractMs };
  };
}
