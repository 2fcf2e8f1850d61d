import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  GetExtractionStatusesResponseSchema,
  ReadDocumentResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { DocumentService } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { InlineDocument } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { invalid } from "@switchyard/rpc";
import { plainText } from "../../reading/index.ts";
import type { ExtractionStore } from "../../store/extractions.ts";
import { fileMessage, reasonMessage } from "../../store/file-messages.ts";
import type { FileRecord } from "../../store/files.ts";
import type { StoredText } from "../../store/texts.ts";
import { runAndShow, show } from "../extractions/extractions.ts";
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
  extractions: ExtractionStore;
  textCache: DocumentTextCache;
  ingestion: Ingestion;
  visibility: Visibility;
  placement: Placement;
  runner: Runner;
  settings: Pick<ServiceSettings, "waitMs">;
}

/** The limits of the text for routing. */
const routingText = { maxPages: 10, maxCharacters: 20_000 };
const maxIds = 1_000;

/** Creates the internal methods, which only services call. */
export function createDocumentMethods(dependencies: DocumentMethodDependencies): ServiceImpl<typeof DocumentService> {
  const { extractions, textCache, ingestion, visibility, placement, runner, settings } = dependencies;

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

  return {
    async readDocument({ document, maxPages }, context) {
      if (document.case === undefined) throw invalid([{ field: "document", message: "is required" }]);
      const { record, text } =
        document.case === "fileId"
          ? await fetchStored(document.value, context)
          : await takeInline(document.value, context);
      const file = fileMessage(record);
      const problem = reasonMessage(text.problem);
      if (problem !== undefined) return create(ReadDocumentResponseSchema, { file, problem });
      const limits = { ...routingText, ...(maxPages > 0 ? { maxPages } : {}) };
      return create(ReadDocumentResponseSchema, { file, text: plainText(text.text, limits) });
    },

    async adoptFile({ fileId, projectId }) {
      requireIds({ fileId, projectId });
      return fileMessage(await placement.adopt(fileId, projectId));
    },

    async startRoutedExtraction(request, context) {
      const { extractionId, sourceFileId, fileId, projectId, modelId, schemaId, extract } = request;
      requireIds({ sourceFileId, fileId, projectId, modelId });
      if (!extract) {
        await placement.place(request);
        return createPlacedResponse(request);
      }
      requireIds({ extractionId, schemaId });
      const placed = await placement.placeAndCreate(request);
      if (placed.file === null) return show(extractions, placed.record);
      const { record, file } = placed;
      return runAndShow({ extractions, runner, waitMs: settings.waitMs }, { record, file }, context.signal);
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
