import { create } from "@bufbuild/protobuf";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import type { DeletedProjects } from "@switchyard/change-feed";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import {
  ExtractionStatus,
  ListExtractionsResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Extraction, ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { callOptions, invalid, modelHasNoSchema, notFound, unlessAborted } from "@switchyard/rpc";
import { newId, openPage } from "@switchyard/storage";
import type { PageTokens, Storage } from "@switchyard/storage";
import { setTimeout as sleep } from "node:timers/promises";
import { extractionMessage, summaryMessage } from "../../store/extraction-messages.ts";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { NewExtraction } from "./new-extraction.ts";
import type { Runner } from "./runner.ts";
import { resolveTarget } from "../targets.ts";
import { findOrganizationFile } from "../visibility.ts";
import type { Visibility } from "../visibility.ts";

/** The methods of ExtractionService for extractions. */
export type ExtractionMethods = Pick<
  ServiceImpl<typeof ExtractionService>,
  "createExtraction" | "getExtraction" | "listExtractions"
>;

/** The dependencies of the methods. */
export interface ExtractionMethodDependencies {
  storage: Pick<Storage, "atomically">;
  deletedProjects: Pick<DeletedProjects, "has">;
  extractions: ExtractionStore;
  files: FileStore;
  targets: Client<typeof TargetService>;
  runner: Runner;
  visibility: Visibility;
  pageTokens: PageTokens;
  now: () => number;
  waitMs: number;
}

/** Creates the methods for extractions. */
export function createExtractionMethods(dependencies: ExtractionMethodDependencies): ExtractionMethods {
  const { storage, deletedProjects, extractions, files, targets, runner } = dependencies;
  const { visibility, pageTokens, now, waitMs } = dependencies;
  return {
    async createExtraction({ targetId, fileId }, context) {
      const caller = getCaller(context);
      const target = await resolveTarget(targets, caller, targetId, callOptions(context));
      requireReach(caller, target.projectId);
      if (fileId === "") throw invalid([{ field: "fileId", message: "is required" }]);
      if (target.schemaId === null) throw modelHasNoSchema();
      const file = await findOrganizationFile(files, caller, fileId);
      if (file.projectId !== target.projectId) {
        throw invalid([{ field: "fileId", message: "must be a file of the model's project" }], "FILE_OF_OTHER_PROJECT");
      }
      const record: ExtractionRecord = {
        _id: newId("ext"),
        fileId,
        projectId: target.projectId,
        organizationId: caller.organizationId,
        modelId: target.modelId,
        deploymentId: target.deploymentId,
        schemaId: target.schemaId,
        status: ExtractionStatus.RUNNING,
        error: null,
        warnings: file.warnings ?? [],
        ...runner.firstLease(),
        createdAt: new Date(now()),
        createdBy: caller.userId,
        completedAt: null,
      };
      await storage.atomically(
        async (session) => {
          if (await deletedProjects.has(record.projectId, session)) {
            throw notFound("deployment", targetId, "deploymentId");
          }
          await extractions.insert([record], session);
        },
        () => extractionMessage(record, null),
      );
      return runAndShow({ extractions, runner, waitMs }, { record, file }, context.signal);
    },

    async getExtraction({ extractionId }, context) {
      // The record of its classification is stored before it.
      await unlessAborted(runner.settleStore(extractionId), context.signal);
      return show(extractions, await visibility.extraction(getCaller(context), extractionId));
    },

    async listExtractions(request, context) {
      const { projectId, fileId, modelId, status } = request;
      const caller = getCaller(context);
      await visibility.project(caller, projectId, callOptions(context));
      const query = { list: "extractions", projectId, fileId, modelId, status };
      const page = openPage(pageTokens, query, request);
      const target = modelId === "" ? undefined : await resolveTarget(targets, caller, modelId, callOptions(context));
      const found = await extractions.list({
        projectId,
        organizationId: caller.organizationId,
        fileId: fileId === "" ? undefined : fileId,
        // The id of a deployment selects the extractions made for it; the id of a schema selects those of its model.
        ...(target?.deploymentId == null ? { modelId: target?.modelId } : { deploymentId: target.deploymentId }),
        status: status === ExtractionStatus.UNSPECIFIED ? undefined : status,
        limit: page.size + 1,
        before: page.after,
      });
      const { items, ...next } = page.take(found, ({ position }) => position);
      return create(ListExtractionsResponseSchema, {
        extractions: items.map(({ record }) => summaryMessage(record)),
        ...next,
      });
    },
  };
}

/** How an extraction is run and shown. */
type Waiting = Pick<ExtractionMethodDependencies, "extractions" | "runner" | "waitMs">;

/** Runs the new extraction of a file if this runner holds its lease, waits a limited time for its end, and returns its current state. */
export async function runAndShow(
  { extractions, runner, waitMs }: Waiting,
  { record, file }: { record: ExtractionRecord; file: FileRecord },
  signal: AbortSignal,
): Promise<Extraction> {
  if (record.attempts > 0) {
    const ended = await waitFor(runner.run(record, file), waitMs, signal);
    if (ended !== undefined) return extractionMessage(ended.record, ended.tables);
  }
  return show(extractions, (await extractions.find(record._id)) ?? record);
}

/** Does the same with an extraction that is not stored yet. Throws if it cannot be stored. */
export async function runNewAndShow(
  { extractions, runner, waitMs }: Waiting,
  extraction: NewExtraction,
  signal: AbortSignal,
): Promise<Extraction> {
  const { stored, ended } = runner.runNew(extraction);
  const [, shown] = (await waitFor(Promise.all([stored, ended]), waitMs, signal)) ?? [];
  if (shown !== undefined) return extractionMessage(shown.record, shown.tables);
  await stored;
  return show(extractions, (await extractions.find(extraction.record._id)) ?? extraction.record);
}

/** Waits a limited time for the result of an extraction. Resolves with undefined after that time, and when the signal is aborted. */
async function waitFor<Result>(
  work: Promise<Result>,
  waitMs: number,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const timer = new AbortController();
  const timeout = sleep(waitMs, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
}

/** Returns the current state of an extraction, with its values if it is completed. */
export async function show(extractions: ExtractionStore, record: ExtractionRecord): Promise<Extraction> {
  const completed = record.status === ExtractionStatus.COMPLETED;
  return extractionMessage(record, completed ? await extractions.getTables(record._id) : null);
}
