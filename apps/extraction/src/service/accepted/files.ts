import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import {
  ExtractFileResponseSchema,
  GetAcceptedRevisionResponseSchema,
  ListAcceptedFilesResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { EngineVersionSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type { EngineVersion } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Engines } from "@switchyard/engines";
import { callOptions, invalid, notFound, problem } from "@switchyard/rpc";
import PQueue from "p-queue";
import { MAX_FILES } from "../../domain/engines/local/learning/learn.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import { decodeTables } from "../../store/tables.ts";
import type { FileStore } from "../../store/files.ts";
import { toUsage } from "../../store/extraction-messages.ts";
import type { Outcome } from "../../store/extractions.ts";
import { chooseEngine } from "../engines/choice.ts";
import type { ChosenEngine } from "../engines/choice.ts";
import { maxTaught } from "../engines/teaching.ts";
import type { ExtractFile } from "../engines/extraction.ts";
import { findSchema } from "../targets.ts";

/** The dependencies of the methods. */
export interface AcceptedFileDependencies {
  accepted: AcceptedStore;
  files: FileStore;
  targets: Client<typeof TargetService>;
  engines: Pick<Engines, "find">;
  extractFile: ExtractFile;
  /** The maximum number of files that are extracted at once for benchmarks. Others wait. */
  parallel: number;
}

const maxFiles = 10_001;
/** The maximum number of files that a response names as left out. */
const maxExcluded = 100;

/** Creates the methods that benchmarks call. */
export function createAcceptedFileMethods(
  dependencies: AcceptedFileDependencies,
): ServiceImpl<typeof AcceptedFileService> {
  const { accepted, files, targets, engines, extractFile, parallel } = dependencies;
  const queue = new PQueue({ concurrency: parallel });
  return {
    async listAcceptedFiles({ projectId, modelId, fileIds, limit, schemaId }, context) {
      if (fileIds.length > maxFiles) throw invalid([{ field: "fileIds", message: `must be at most ${maxFiles}` }]);
      const wanted = { projectId, modelId, fileIds, limit: Math.min(limit > 0 ? limit : maxFiles, maxFiles) };
      const records = await accepted.list(wanted);
      const taught = await accepted.newest({ projectId, modelId, limit: MAX_FILES });
      const known = await files.listOfProject(projectId, [
        ...new Set([...fileIds, ...records.map(({ fileId }) => fileId)]),
      ]);
      const byId = new Map(known.map((file) => [file._id, file]));
      const configuration = schemaId === "" ? null : await findSchema(targets, schemaId, callOptions(context));
      const organizationId = known[0]?.organizationId ?? "";
      const { kind, name, version, modelName } = chooseEngine(configuration ?? {}, organizationId, engines);
      const most = { local: MAX_FILES, "language-model": maxTaught, further: 0 }[kind];
      return create(ListAcceptedFilesResponseSchema, {
        files: records.flatMap(({ fileId, revision }) => {
          const file = byId.get(fileId);
          return file === undefined ? [] : [{ fileId, revision, filename: file.filename, sha256: file.sha256 }];
        }),
        unknownFileIds: fileIds.filter((id) => !byId.has(id)),
        engine: {
          name,
          version,
          learnedFrom: Math.min(taught.length, most),
          crossFitted: true,
          ...(modelName !== null && { modelName }),
        },
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
      const [file] = await files.listOfProject(projectId, [fileId]);
      if (file === undefined) {
        const error = { code: "FILE_NOT_FOUND", message: "The file no longer exists." };
        return create(ExtractFileResponseSchema, { error, excludedFileIds });
      }
      const own = chooseEngine(configuration, file.organizationId, engines);
      requireEngine(wanted, own);
      const extract = async () => {
        const subject = {
          file,
          configuration,
          model: modelId === "" ? null : { projectId, modelId },
          crossFitted: true,
        };
        const { result, leftOut, extractMs } = await extractFile(subject, context.signal);
        const left = [...new Set([...excludedFileIds, ...leftOut])].slice(0, maxExcluded);
        const outcome: Outcome = "outcome" in result ? result.outcome : { error: result.again };
        return create(ExtractFileResponseSchema, {
          extractMs,
          excludedFileIds: left,
          ...("error" in outcome ? { error: outcome.error } : { tables: decodeTables(outcome.tables) }),
          ...(outcome.usage && { usage: toUsage(outcome.usage) }),
        });
      };
      // What waits for a language model takes no place from others. The engine limits it.
      return own.kind !== "language-model" ? queue.add(extract) : extract();
    },
  };
}

/** Throws FailedPrecondition unless the engine is still the one with which the run began. */
function requireEngine(wanted: EngineVersion | undefined, { name, version, modelName }: ChosenEngine): void {
  const { name: wantedName, version: wantedVersion, modelName: wantedModel } = wanted ?? create(EngineVersionSchema);
  const isSameModel = wantedModel === undefined || wantedModel === modelName;
  if (wantedName === name && wantedVersion === version && isSameModel) return;
  const message = `The engine is ${describe(name, version, modelName)}, no longer ${describe(wantedName, wantedVersion, wantedModel)}.`;
  throw problem(Code.FailedPrecondition, "ENGINE_CHANGED", message);
}

function describe(name: string, version: string, modelName: string | null | undefined): string {
  return [name, version, ...(modelName == null ? [] : [modelName])].join("/");
}
