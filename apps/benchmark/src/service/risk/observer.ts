import { Code } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  AcceptedFile,
  AcceptedFileService,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type { EngineVersion } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import PQueue from "p-queue";
import { toValueTables } from "../../domain/cells/cell-value.ts";
import type { ValueTable } from "../../domain/cells/cell-value.ts";
import { observeFile } from "../../domain/risk/observation.ts";
import type { FileObservation } from "../../domain/risk/observation.ts";
import type { BenchmarkSettings } from "../settings.ts";

/** A model with the schema to extract its accepted files with. */
export interface ObservedModel {
  readonly projectId: string;
  readonly modelId: string;
  readonly schemaId: string;
}

/** The accepted files of a model, extracted and compared. */
export interface Observations {
  readonly configuration: Configuration;
  readonly files: readonly FileObservation[];
}

/** Extracts the accepted files of a model, cross-fitted, and compares them. Computes nothing again that has not changed. */
export type Observer = (model: ObservedModel) => Promise<Observations>;

/** The dependencies of an {@link Observer}. */
export interface ObserverDependencies {
  documents: Client<typeof AcceptedFileService>;
  targets: Client<typeof TargetService>;
  settings: Pick<BenchmarkSettings, "maxParallelFiles" | "extractTimeoutMs">;
  /** Of more accepted files, as many are drawn; 1,000 by default. */
  maxFiles?: number;
  /** The number of values that are kept in memory for all models, 4 million by default, which take about 250 MB. */
  maxValues?: number;
}

/** The maximum length of a list of accepted files. */
const maxListed = 10_001;
/** The maximum number of models whose observations are kept in memory. */
const maxKept = 20;

/**
 * Creates the observer. What is observed is kept until an accepted value, the schema or the engine changes. Calls for the same state share one
 * computation, which continues even if nobody waits for it any more: the next call finds its result.
 */
export function createObserver({
  documents,
  targets,
  settings,
  maxFiles = 1_000,
  maxValues = 4_000_000,
}: ObserverDependencies): Observer {
  const kept = new LRUCache<string, { fingerprint: string; observations: Promise<Observations> }>({
    max: maxKept,
    maxSize: maxValues,
  });
  const queue = new PQueue({ concurrency: settings.maxParallelFiles });
  // The deadline of a call does not apply to what others wait for.
  const outsideOfCalls = AsyncLocalStorage.snapshot();

  async function observe(
    { projectId, modelId, schemaId }: ObservedModel,
    files: readonly AcceptedFile[],
    engine: EngineVersion | undefined,
  ): Promise<Observations> {
    const configuration = await targets.getSchema({ schemaId });
    // The first failure ends the rest: all files are observed, or none.
    const failing = new AbortController();
    const { signal } = failing;

    async function observeOne({ fileId, revision }: AcceptedFile): Promise<FileObservation> {
      const expected = await loadExpected({ fileId, modelId, revision }, signal);
      if (expected === null) return { fileId, values: [] };
      const request = { fileId, projectId, modelId, configuration, excludedFileIds: [fileId] };
      const { tables: extracted } = await documents.extractFile(
        { ...request, ...(engine === undefined ? {} : { engine }) },
        { signal, timeoutMs: settings.extractTimeoutMs },
      );
      // A file that could not be extracted has no values, so none of it goes unseen.
      return observeFile({ fileId, configuration, expected, extracted });
    }

    try {
      const observed = files.map((file) => queue.add(() => observeOne(file), { signal }));
      return { configuration, files: await Promise.all(observed) };
    } catch (error) {
      failing.abort();
      throw error;
    }
  }

  /** Loads accepted values. Returns null if they were deleted with their file in the meantime. */
  async function loadExpected(
    revision: { fileId: string; modelId: string; revision: string },
    signal: AbortSignal,
  ): Promise<ValueTable[] | null> {
    try {
      return toValueTables((await documents.getAcceptedRevision(revision, { signal })).tables);
    } catch (error) {
      if (getProblemFacts(error).code === Code.NotFound) return null;
      throw error;
    }
  }

  return async (model) => {
    const { projectId, modelId, schemaId } = model;
    const { files, engine } = await documents.listAcceptedFiles({ projectId, modelId, schemaId, limit: maxListed });
    const drawn = draw(files, maxFiles);
    const names = drawn.map(({ fileId, revision }) => `${fileId} ${revision}`);
    const fingerprint = hash([engine?.name, engine?.version, engine?.modelName, ...names].join("\n"));
    const key = `${modelId} ${schemaId}`;
    const known = kept.get(key);
    if (known?.fingerprint === fingerprint) return known.observations;
    const observations = outsideOfCalls(() => observe(model, drawn, engine));
    const keep = (values: number): void => {
      // A single model is kept, whatever its size.
      kept.set(key, { fingerprint, observations }, { size: Math.min(1 + values, maxValues) });
    };
    const isKept = (): boolean => kept.peek(key)?.observations === observations;
    keep(0);
    observations.then(
      (observed) => {
        if (isKept()) keep(observed.files.reduce((sum, file) => sum + file.values.length, 0));
      },
      () => {
        if (isKept()) kept.delete(key);
      },
    );
    return observations;
  };
}

/** Draws files by a hash of their IDs, which has nothing to do with their values, so that a new file replaces few. */
function draw(files: readonly AcceptedFile[], maxFiles: number): AcceptedFile[] {
  if (files.length <= maxFiles) return [...files];
  const ranked = files.map((file) => ({ file, rank: hash(file.fileId) }));
  return ranked
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, maxFiles)
    .map(({ file }) => file);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
