import { unlessAborted } from "@switchyard/rpc";
import type { Engines } from "@switchyard/engines";
import type { Extractor } from "../extractions/extractor.ts";
import { chooseEngine } from "./choice.ts";
import type { TextExtraction } from "./extraction.ts";

/** Creates the extraction by the further engines of the program, which need no language model and learn nothing. */
export function createFurtherExtraction({
  extractor,
  engines,
}: {
  extractor: Pick<Extractor, "extract">;
  engines: Pick<Engines, "find">;
}): TextExtraction {
  return async ({ file, configuration }, text, signal) => {
    const { name, version } = chooseEngine(configuration, file.organizationId, engines);
    const startedAt = performance.now();
    const result = await unlessAborted(extractor.extract(text, configuration, { engine: "further", name }), signal);
    const ended = { leftOut: [], extractMs: performance.now() - startedAt };
    if ("failure" in result) return { result: { again: result.failure, cause: result.cause }, ...ended };
    const engine = { name, version, modelName: null, learnedFrom: 0 };
    return { result: { outcome: { ...result, engine } }, ...ended };
  };
}
