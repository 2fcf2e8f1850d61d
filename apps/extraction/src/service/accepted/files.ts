import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ExtractFileResponseSchema,
  GetAcceptedRevisionResponseSchema,
  ListAcceptedFilesResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { EngineVersionSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type { EngineVersion } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { invalid, notFound, problem } from "@switchyard/rpc";
import PQueue from "p-queue";
import { engine } from "../../domain/engines/local/version.ts";
import { MAX_FILES } from "../../domain/engines/local/learning/learn.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import { decodeTables } from "../../store/tables.ts";
import type { FileStore } from "../../store/files.ts";
import { mayLearn } from "../learning/learning.ts";
import type { Learning } from "../learning/learning.ts";
import type { ExtractFile } from "../extractions/attempt.ts";

/** The dependencies of the methods. */
export interface AcceptedFileDependencies {
  accepted: AcceptedStore;
  files: FileStore;
  extractFile: ExtractFile;
  learning: Pick<Learning, "without">;
  /** The maximum number of files that are extracted at once for benchmarks. Others wait. */
  parallel: number;
}

const maxFiles = 10_001;
/** The maximum number of files that a response names as left out. */
const maxExcluded = 100;
const nothingLearned = { state: null, leftOut: [] };

/** Creates the methods that benchmarks call. */
export function createAcceptedFileMethods(
  dependencies: AcceptedFileDependencies,
): ServiceImpl<typeof AcceptedFileService> {
  const { accepted, files, extractFile, learning, parallel } = dependencies;
  const queue = new PQueue({ concurrency: parallel });
  return {
    async listAcceptedFiles({ projectId, modelId, fileIds, limit }) {
      if (fileIds.length > maxFiles) throw invalid([{ field: "fileIds", message: `must be at most ${maxFiles}` }]);
      const wanted = { projectId, modelId, fileIds, limit: Math.min(limit > 0 ? limit : maxFiles, maxFiles) };
      const records = await accepted.list(wanted);
      const taught = await accepted.newest({ projectId, modelId, limit: MAX_FILES });
      const known = await files.listOfProject(projectId, [
        ...new Set([...fileIds, ...records.map(({ fileId }) => fileId)]),
      ]);
      const byId = new Map(known.map((file) => [file._id, file]));
      return create(ListAcceptedFilesResponseSchema, {
        files: records.flatMap(({ fileId, revision }) => {
          const file = byId.get(fileId);
          return file === undefined ? [] : [{ fileId, revision, filename: file.filename, sha256: file.sha256 }];
        }),
        unknownFileIds: fileIds.filter((id) => !byId.has(id)),
        engine: { ...engine, learnedFrom: taught.length, crossFitted: true },
      });
    },

    async getAcceptedRevision({ fileId, modelId, revision }) {
      const tables = await accepted.revision(fileId, modelId, revision);
      if (tables === null) throw notFound("revision", revision, "revision");
      return create(GetAcceptedRevisionResponseSchema, { tables });
    },

    async extractFile(request, context) {
      const { fileId, projectId, modelId, configuration, engine: wanted, excludedFileIds } = request;
      if (configuration === undefined) throw invalid([{ field: "configuration", message: "is required" }]);
      requireEngine(wanted);
      const [file] = await files.listOfProject(projectId, [fileId]);
      if (file === undefined) {
        const error = { code: "FILE_NOT_FOUND", message: "The file no longer exists." };
        return create(ExtractFileResponseSchema, { error, excludedFileIds });
      }
      return queue.add(async () => {
        const learns = modelId !== "" && mayLearn(configuration);
        const { state, leftOut } = learns
          ? await learning.without(file, { projectId, modelId }, configuration)
          : nothingLearned;
        const startedAt = performance.now();
        const result = await extractFile(file, configuration, context.signal, state);
        const extractMs = performance.now() - startedAt;
        const left = [...new Set([...excludedFileIds, ...leftOut])].slice(0, maxExcluded);
        const fields = { extractMs, excludedFileIds: left };
        const outcome = "outcome" in result ? result.outcome : { error: result.again };
        return create(
          ExtractFileResponseSchema,
          "error" in outcome
            ? { ...fields, error: outcome.error }
            : { ...fields, tables: decodeTables(outcome.tables) },
        );
      });
    },
  };
}

function requireEngine(wanted: EngineVersion | undefined): void {
  const { name, version } = wanted ?? create(EngineVersionSchema);
  if (name === engine.name && version === engine.version) return;
  const message = `The engine is ${engine.name}/${engine.version}, no longer ${name}/${version}.`;
  throw problem(Code.FailedPrecondition, "ENGINE_CHANGED", message);
}
