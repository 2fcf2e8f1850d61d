import type { ReadFailureReason } from "@switchyard/contracts/reasons";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Engines } from "@switchyard/engines";
import { getProblemFacts, unlessAborted } from "@switchyard/rpc";
import type { EngineKind } from "../../domain/engines/engines.ts";
import { maxStoredTableBytes } from "../../domain/values.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { ExtractionStore } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { StoredText } from "../../store/texts.ts";
import type { Extractor } from "../extractions/extractor.ts";
import { contentDamaged } from "../files/content.ts";
import type { PageImages } from "../files/page-images.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import type { Learning } from "../learning/learning.ts";
import { chooseEngine } from "./choice.ts";
import { failed } from "./extraction.ts";
import type { AttemptResult, ExtractFile, TextExtraction } from "./extraction.ts";
import { createFurtherExtraction } from "./further-extraction.ts";
import { createLocalExtraction } from "./local-extraction.ts";
import { createModelExtraction } from "./model-extraction.ts";
import { createTeaching } from "./teaching.ts";

/** What {@link createEngineExtraction} needs. */
export interface EngineExtractionDependencies {
  accepted: AcceptedStore;
  extractions: ExtractionStore;
  files: FileStore;
  textCache: DocumentTextCache;
  engines: Engines;
  extractor: Extractor;
  learning: Learning;
  getPageImage: PageImages;
  settings: { readonly engineTimeoutMs: number };
}

/** Creates the extraction of files with the engine that their configuration names. */
export function createEngineExtraction(dependencies: EngineExtractionDependencies): ExtractFile {
  const { textCache, engines, settings } = dependencies;
  const teaching = createTeaching(dependencies);
  return createFileExtraction({
    textCache,
    engines,
    extractions: {
      local: createLocalExtraction(dependencies),
      further: createFurtherExtraction(dependencies),
      "language-model": createModelExtraction({ ...dependencies, teaching, timeoutMs: settings.engineTimeoutMs }),
    },
  });
}

/** Creates the function that extracts a file: it reads the text, unless it is cached, and finds the values. */
function createFileExtraction({
  textCache,
  engines,
  extractions,
}: {
  textCache: DocumentTextCache;
  engines: Pick<Engines, "find">;
  extractions: Readonly<Record<EngineKind, TextExtraction>>;
}): ExtractFile {
  return async (subject, signal) => {
    const { file, configuration } = subject;
    const startedAt = performance.now();
    const reading = await unlessAborted(loadText(textCache, file, signal), signal);
    const readMs = performance.now() - startedAt;
    const end = (result: AttemptResult) => ({ result, leftOut: [], extractMs: readMs });
    if ("damaged" in reading) return end(failed(contentDamaged, reading.damaged));
    const { text, problem } = reading;
    if (problem !== null) return end(failed(problemName(problem.code), problem.message));
    const { kind } = chooseEngine(configuration, file.organizationId, engines);
    const extracted = await extractions[kind](subject, text, signal);
    const outcome = "outcome" in extracted.result ? extracted.result.outcome : undefined;
    const isTooLarge = outcome !== undefined && "tables" in outcome && outcome.tables.length > maxStoredTableBytes;
    const result = isTooLarge ? failed("RESULT_TOO_LARGE", "There are too many values to store.") : extracted.result;
    return { ...extracted, result, extractMs: readMs + extracted.extractMs };
  };
}

/** Returns the text of a file. For damaged bytes, returns their problem, because no further attempt can succeed. */
async function loadText(
  textCache: DocumentTextCache,
  file: FileRecord,
  signal: AbortSignal,
): Promise<StoredText | { damaged: string }> {
  try {
    return await textCache.get(file, signal);
  } catch (error) {
    const { reason, message } = getProblemFacts(error);
    if (reason !== contentDamaged) throw error;
    return { damaged: message };
  }
}

/** Returns the name of a reading problem in the API. */
function problemName(code: ReadProblem): ReadFailureReason {
  const [name] = Object.entries(ReadProblem).find(([, value]) => value === code) ?? [];
  return (name as ReadFailureReason | undefined) ?? "UNREADABLE_FILE";
}
