import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  AcknowledgeDeletedFilesResponseSchema,
  DiscardDocumentResponseSchema,
  FindExtractionResponseSchema,
  GetExtractionStatusesResponseSchema,
  ListDeletedFilesResponseSchema,
  ReadDocumentResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type {
  DocumentService,
  ReadDocumentRequest,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { InlineDocument } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { invalid, notFound, unlessAborted } from "@switchyard/rpc";
import { plainText } from "../../reading/index.ts";
import type { ExtractionStore } from "../../store/extractions.ts";
import { fileMessage, reasonMessage } from "../../store/file-messages.ts";
import type { DeletedFiles } from "../../store/deletions/deleted-files.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { StoredText } from "../../store/texts.ts";
import { runAndShow, runNewAndShow, show } from "../extractions/extractions.ts";
import { parseFilename } from "../files/filename.ts";
import type { Ingestion } from "../files/ingestion.ts";
import { createPlacedResponse } from "./placement.ts";
import type { Placement } from "./placement.ts";
import type { DocumentTextCache } from "../files/text-cache.ts";
import type { Runner } from "../extractions/runner.ts";
import type { ServiceSettings } from "../settings.ts";
import type { Visibility } from "../visibility.ts";

/** The dependencies of the internal methods. */
export interface DocumentMethodDependencies {
  files: Pick<FileStore, "find">;
  deletedFiles: Pick<DeletedFiles, "list" | "acknowledge">;
  extractions: ExtractionStore;
  textCache: DocumentTextCache;
  ingestion: Ingestion;
  /** Removes a file without a project whose retention period has ended by this time. */
  expireFile: (id: string, time: Date) => Promise<void>;
  visibility: Visibility;
  placement: Placement;
  runner: Runner;
  settings: Pick<ServiceSettings, "waitMs">;
}

/** The limits of the text for routing. */
const routingText = { maxPages: 10, maxCharacters: 20_000 };
const maxIds = 1_000;
/** The number of extractions of a file and a model among which one without a deployment is looked for. */
const maxListed = 100;
/** A time by which the retention period of every file has ended. */
const endOfTime = new Date(8.64e15);

/** Creates the internal methods, which only services call. */
export function createDocumentMethods(dependencies: DocumentMethodDependencies): ServiceImpl<typeof DocumentService> {
  const {
    files,
    deletedFiles,
    extractions,
    textCache,
    ingestion,
    expireFile,
    visibility,
    placement,
    runner,
    settings,
  } = dependencies;

  async function takeInline(content: InlineDocument, context: HandlerContext) {
    const caller = getCaller(context);
    const name = parseFilename(content.filename, "content.filename");
    if ("violation" in name) throw invalid([name.violation]);
    const document = {
      content: await ingestion.receiveAll(content.data, "content.data"),
      organizationId: caller.organizationId,
      projectId: null,
      filename: name.filename,
      contentType: content.contentType,
      createdBy: caller.userId,
    };
    return ingestion.ingest(document, context.signal);
  }

  async function fetchStored(
    fileId: string,
    context: HandlerContext,
  ): Promise<{ record: FileRecord; text: StoredText }> {
    const record = await visibility.file(getCaller(context), fileId);
    return { record, text: await textCache.get(record, context.signal) };
  }

  /** Fetches the file of a record that the caller may read, wherever the file is. */
  async function fetchRecorded(fileId: string, context: HandlerContext) {
    const record = await files.find(fileId);
    if (record === null || record.organizationId !== getCaller(context).organizationId) {
      throw notFound("file", fileId, "fileId");
    }
    return { record, text: await textCache.get(record, context.signal) };
  }

  function fetch(document: ReadDocumentRequest["document"], context: HandlerContext) {
    switch (document.case) {
      case "fileId":
        return fetchStored(document.value, context);
      case "recordedFileId":
        return fetchRecorded(document.value, context);
      case "content":
        return takeInline(document.value, context);
      case undefined:
        throw invalid([{ field: "document", message: "is required" }]);
    }
  }

  return {
    async readDocument({ document, maxPages }, context) {
      const { record, text } = await fetch(document, context);
      const file = fileMessage(record);
      const problem = reasonMessage(text.problem);
      if (problem !== undefined) return create(ReadDocumentResponseSchema, { file, problem });
      const limits = { ...routingText, ...(maxPages > 0 ? { maxPages } : {}) };
      return create(ReadDocumentResponseSchema, { file, text: plainText(text.text, limits) });
    },

    async discardDocument({ fileId }) {
      requireIds({ fileId });
      await expireFile(fileId, endOfTime);
      return create(DiscardDocumentResponseSchema);
    },

    async adoptFile({ fileId, projectId }) {
      requireIds({ fileId, projectId });
      return fileMessage(await placement.adopt(fileId, projectId));
    },

    async startRoutedExtraction(request, context) {
      const { extractionId, sourceFileId, fileId, projectId, modelId, schemaId, extract } = request;
      requireIds({ sourceFileId, fileId, projectId, modelId });
      if (!extract) {
        return createPlacedResponse(request, await placement.place(request));
      }
      requireIds({ extractionId, schemaId });
      // A retry finds what the first call has stored.
      await unlessAborted(runner.settleStore(extractionId), context.signal);
      const waiting = { extractions, runner, waitMs: settings.waitMs };
      const prepared = await placement.prepare(request);
      if (prepared !== undefined) return runNewAndShow(waiting, prepared, context.signal);
      const placed = await placement.placeAndCreate(request);
      if (placed.file === null) return show(extractions, placed.record);
      const { record, file } = placed;
      return runAndShow(waiting, { record, file }, context.signal);
    },

    async findExtraction({ fileId, modelId, deploymentId }, context) {
      requireIds({ fileId, modelId });
      const file = await files.find(fileId);
      if (file === null || file.projectId === null) return create(FindExtractionResponseSchema);
      const found = await extractions.list({
        projectId: file.projectId,
        organizationId: getCaller(context).organizationId,
        fileId,
        ...(deploymentId === undefined ? { modelId } : { deploymentId }),
        limit: maxListed,
      });
      const latest = found.find(
        ({ record }) => record.deploymentId === (deploymentId ?? null) && record.status !== ExtractionStatus.FAILED,
      );
      if (latest === undefined) return create(FindExtractionResponseSchema);
      return create(FindExtractionResponseSchema, { extractionId: latest.record._id, status: latest.record.status });
    },

    async listDeletedFiles() {
      return create(ListDeletedFilesResponseSchema, { fileIds: await deletedFiles.list(maxIds) });
    },

    async acknowledgeDeletedFiles({ fileIds }) {
      await deletedFiles.acknowledge(fileIds);
      return create(AcknowledgeDeletedFilesResponseSchema);
    },

    async getExtractionStatuses({ extractionIds }) {
      if (extractionIds.length > maxIds) {
        throw invalid([{ field: "extractionIds", message: `must be at most ${maxIds}` }]);
      }
      const statuses = await extractions.getStatuses(extractionIds);
      return create(GetExtractionStatusesResponseSchema, { statuses: Object.fromEntries(statuses) });
    },
  };
}

function requireIds(ids: Record<string, string>): void {
  const missing = Object.keys(ids).filter((field) => ids[field] === "");
  if (missing.length > 0) throw invalid(missing.map((field) => ({ field, message: "is required" })));
}
