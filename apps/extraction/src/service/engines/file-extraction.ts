import type { Engines } from "@switchyard/engines";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { ExtractionStore } from "../../store/extractions.ts";
import type { FileStore } from "../../store/files.ts";
import { createFileExtraction } from "../extractions/attempt.ts";
import type { ExtractFile } from "../extractions/attempt.ts";
import type { Extractor } from "../extractions/extractor.ts";
import type { PageImages } from "../files/page-images.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import type { Learning } from "../learning/learning.ts";
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
