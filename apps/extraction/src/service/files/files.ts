import { create } from "@bufbuild/protobuf";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { toNote } from "@switchyard/change-feed";
import type { AuditOutbox } from "@switchyard/change-feed";
import { HttpBodySchema } from "@switchyard/contracts/google/api/httpbody";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import {
  DeleteFileResponseSchema,
  FileTextSchema,
  ListFilesResponseSchema,
  PageTextSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type {
  ExtractionService,
  PageText,
  UploadFileRequest,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { callOptions, invalid } from "@switchyard/rpc";
import { openPage } from "@switchyard/storage";
import type { PageTokens, Storage } from "@switchyard/storage";
import { describeFile } from "../../domain/audited-change.ts";
import { pageTexts, getReader } from "../../reading/index.ts";
import type { TextOfPage } from "../../reading/index.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { BlobRemoval } from "../../store/blobs/blob-removal.ts";
import { fileMessage } from "../../store/file-messages.ts";
import type { FileStore } from "../../store/files.ts";
import type { CurrentValuesStore } from "../../store/values/current-values.ts";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";
import { parseFilename } from "./filename.ts";
import type { createContentReader } from "./content.ts";
import type { Ingestion } from "./ingestion.ts";
import type { PageImages } from "./page-images.ts";
import type { DocumentTextCache } from "./text-cache.ts";
import { resolveTarget } from "../targets.ts";
import type { Learning } from "../learning/learning.ts";
import type { Visibility } from "../visibility.ts";

/** The methods of ExtractionService for files. */
export type FileMethods = Pick<
  ServiceImpl<typeof ExtractionService>,
  "uploadFile" | "listFiles" | "getFile" | "getFileContent" | "getFileText" | "getPageImage" | "deleteFile"
>;

/** The dependencies of the methods. */
export interface FileMethodDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  accepted: AcceptedStore;
  currentValues: Pick<CurrentValuesStore, "removeFile">;
  reviewThresholds: Pick<ReviewThresholdStore, "markChanged">;
  targets: Client<typeof TargetService>;
  getContent: ReturnType<typeof createContentReader>;
  unused: Pick<BlobRemoval, "release">;
  textCache: DocumentTextCache;
  getPageImage: PageImages;
  ingestion: Ingestion;
  learning: Pick<Learning, "touch">;
  visibility: Visibility;
  pageTokens: PageTokens;
  outbox: Pick<AuditOutbox, "note">;
  now: () => number;
}

/** Creates the methods for files. */
export function createFileMethods(dependencies: FileMethodDependencies): FileMethods {
  const { storage, files, accepted, currentValues, reviewThresholds, targets, getContent, unused } = dependencies;
  const { textCache, ingestion, learning, visibility, pageTokens, outbox, now, getPageImage } = dependencies;
  return {
    async uploadFile(requests, context) {
      const caller = getCaller(context);
      const upload = requests[Symbol.asyncIterator]();
      const first = await upload.next();
      if (first.done === true) throw invalid([{ field: "projectId", message: "is required" }]);
      const { projectId, filename: given, contentType } = first.value;
      await visibility.project(caller, projectId, callOptions(context));
      const name = parseFilename(given, "filename");
      if ("violation" in name) throw invalid([name.violation]);
      const content = await ingestion.receive(getPieces(first.value, upload), "file");
      const { record } = await ingestion.ingest(
        {
          organizationId: caller.organizationId,
          projectId,
          filename: name.filename,
          contentType,
          content,
          createdBy: caller.userId,
        },
        context.signal,
        (file) => toNote(context, { at: file.createdAt, targetId: file._id, changes: describeFile(file) }),
      );
      return fileMessage(record);
    },

    async listFiles(request, context) {
      const { projectId, accepted: whether, modelId: targetId } = request;
      const caller = getCaller(context);
      await visibility.project(caller, projectId, callOptions(context));
      const query = { list: "files", projectId, accepted: whether, modelId: targetId };
      const page = openPage(pageTokens, query, request);
      const { organizationId } = caller;
      const model = targetId === "" ? undefined : await resolveTarget(targets, caller, targetId, callOptions(context));
      const filter = { accepted: whether ?? (model === undefined ? undefined : true), modelId: model?.modelId };
      const { records, next } = await files.list({
        projectId,
        organizationId,
        ...filter,
        limit: page.size,
        before: page.after,
      });
      return create(ListFilesResponseSchema, {
        files: records.map(fileMessage),
        ...(next === undefined ? {} : { nextPageToken: page.getToken(next) }),
      });
    },

    async getFile({ fileId }, context) {
      return fileMessage(await visibility.file(getCaller(context), fileId));
    },

    async deleteFile({ fileId }, context) {
      await visibility.file(getCaller(context), fileId);
      const removed = await storage.atomically(async (session) => {
        const removed = await files.remove(fileId, session);
        if (removed === null) return null;
        await accepted.removeFile(fileId, session);
        await currentValues.removeFile(fileId, session);
        for (const modelId of removed.acceptedFor) await reviewThresholds.markChanged(modelId, session);
        await unused.release(removed.sha256, await files.refersTo(removed.sha256, session), session);
        const changes = { ...describeFile(removed), accepted: removed.acceptedFor.length > 0 };
        await outbox.note(toNote(context, { at: new Date(now()), targetId: fileId, changes }), session);
        return removed;
      });
      const { projectId = null, acceptedFor = [] } = removed ?? {};
      if (projectId !== null) for (const modelId of acceptedFor) learning.touch({ projectId, modelId });
      return create(DeleteFileResponseSchema);
    },

    async *getFileContent({ fileId }, context) {
      const record = await visibility.file(getCaller(context), fileId);
      context.responseHeader.set("x-file-name", encodeURIComponent(record.filename));
      context.responseHeader.set("x-file-size", String(record.size));
      context.responseHeader.set("x-file-sha256", record.sha256);
      // The gateway may need no bytes, and reading them verifies all of them.
      yield create(HttpBodySchema, { contentType: record.contentType });
      for await (const data of getContent(record)) {
        yield create(HttpBodySchema, { contentType: record.contentType, data });
      }
    },

    async getFileText({ fileId }, context) {
      const record = await visibility.file(getCaller(context), fileId);
      const { text } = await textCache.get(record, context.signal);
      return create(FileTextSchema, {
        fileId,
        reader: getReader(text),
        pages: pageTexts(text).map(pageMessage),
      });
    },

    async *getPageImage({ fileId, number, width }, context) {
      const record = await visibility.file(getCaller(context), fileId);
      const png = await getPageImage(record, { number, width }, context.signal);
      const name = `${record.filename.replace(/\.[^.]*$/, "")}-${number}.png`;
      context.responseHeader.set("x-file-name", encodeURIComponent(name));
      for (let at = 0; at < png.length; at += pieceBytes) {
        yield create(HttpBodySchema, { contentType: "image/png", data: png.subarray(at, at + pieceBytes) });
      }
    },
  };
}

/** The size of the pieces of a picture. */
const pieceBytes = 1024 * 1024;

function pageMessage({ attachment, hidden, rotation: _, ...page }: TextOfPage): PageText {
  return create(PageTextSchema, { ...page, hidden: [...hidden], ...(attachment === "" ? {} : { attachment }) });
}

/** The fields of an upload that its first message sets. */
const descriptions = ["projectId", "filename", "contentType"] as const;

/**
 * Returns the bytes of an upload. Throws InvalidArgument if the stream ends without a message that is marked as the last one, because an
 * interrupted stream can end like a complete one, and if a later message describes another file.
 */
async function* getPieces(
  first: UploadFileRequest,
  rest: AsyncIterator<UploadFileRequest>,
): AsyncGenerator<Uint8Array, void> {
  try {
    let message = first;
    if (message.data.length > 0) yield message.data;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      if (message.last) throw invalid([{ field: "last", message: "is only for the last message" }]);
      message = next.value;
      const other = descriptions.find((field) => message[field] !== "" && message[field] !== first[field]);
      if (other !== undefined) throw invalid([{ field: other, message: "differs from that of the first message" }]);
      if (message.data.length > 0) yield message.data;
    }
    if (!message.last) throw invalid([{ field: "data", message: "is incomplete" }], "UPLOAD_INCOMPLETE");
  } finally {
    await rest.return?.();
  }
}
