import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { DeletedProjects } from "@switchyard/change-feed";
import { ExtractionSchema, ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { StartRoutedExtractionRequest } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { Extraction } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { notFound, problem } from "@switchyard/rpc";
import type { Storage } from "@switchyard/storage";
import type { BlobStore } from "../../store/blobs/blobs.ts";
import { retryDuplicates } from "../../store/duplicates.ts";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import type { Runner } from "../extractions/runner.ts";
import type { Transaction } from "../../store/transaction.ts";
import { warningMessages } from "../../store/warnings.ts";

/** A routed document: its file, the target project, and the ids to use. */
export type RoutedDocument = Omit<StartRoutedExtractionRequest, "$typeName" | "$unknown" | "extract">;

/** Places files in projects. All methods are idempotent by the ids that the caller chose. They throw NotFound for a deleted project. */
export interface Placement {
  /**
   * Moves a file without a project to a project. A file of that project is left unchanged. Throws FailedPrecondition if it belongs to
   * another project.
   */
  adopt(fileId: string, projectId: string): Promise<FileRecord>;
  /** Places the file of a routed document, and returns it. */
  place(document: RoutedDocument): Promise<FileRecord>;
  /** Places the file and creates its extraction in one transaction. `file` is null if the extraction already existed. */
  placeAndCreate(document: RoutedDocument): Promise<{ record: ExtractionRecord; file: FileRecord | null }>;
}

/** The dependencies of the placement. */
export interface PlacementDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  blobs: Pick<BlobStore, "ensureStored">;
  extractions: ExtractionStore;
  deletedProjects: Pick<DeletedProjects, "has">;
  runner: Pick<Runner, "firstLease">;
  now: () => number;
}

/** Creates the placement. */
export function createPlacement(dependencies: PlacementDependencies): Placement {
  const { storage, files, blobs, extractions, deletedProjects, runner, now } = dependencies;

  async function requireProject(projectId: string, session?: Transaction): Promise<void> {
    if (await deletedProjects.has(projectId, session)) throw notFound("project", projectId, "projectId");
  }

  /**
   * Moves a file to a project. Without a session, the project may be deleted between the check and the write. This is safe, because the
   * removal of its contents is repeated, as for a transaction that began before the deletion.
   */
  async function adopt(fileId: string, projectId: string, session?: Transaction): Promise<FileRecord> {
    await requireProject(projectId, session);
    const record = (await files.adopt(fileId, projectId, session)) ?? (await files.find(fileId, session));
    if (record === null) throw notFound("file", fileId, "fileId");
    if (record.projectId !== projectId) throw elsewhere(fileId);
    return record;
  }

  /** Returns the file in the project of the routed model: the classified file, or a new one with the same bytes. */
  async function placeFile(document: RoutedDocument, session: Transaction): Promise<FileRecord> {
    const { sourceFileId, fileId, projectId, createdBy } = document;
    if (fileId === sourceFileId) return adopt(fileId, projectId, session);
    await requireProject(projectId, session);
    const placed = await files.find(fileId, session);
    if (placed !== null) {
      if (placed.projectId !== projectId) throw elsewhere(fileId);
      return placed;
    }
    const source = await files.find(sourceFileId, session);
    if (source === null || !(await blobs.ensureStored(source.sha256, session))) {
      throw notFound("file", sourceFileId, "sourceFileId");
    }
    const copy: FileRecord = {
      ...source,
      _id: fileId,
      projectId,
      acceptedFor: [],
      createdAt: new Date(now()),
      createdBy,
      expiresAt: null,
    };
    const [inserted = copy] = await files.insert([copy], session);
    return inserted;
  }

  function newExtraction(document: RoutedDocument, file: FileRecord): ExtractionRecord {
    return {
      _id: document.extractionId,
      fileId: file._id,
      projectId: document.projectId,
      organizationId: file.organizationId,
      modelId: document.modelId,
      deploymentId: document.deploymentId ?? null,
      schemaId: document.schemaId,
      status: ExtractionStatus.RUNNING,
      error: null,
      warnings: file.warnings ?? [],
      ...runner.firstLease(),
      createdAt: new Date(now()),
      createdBy: document.createdBy,
      completedAt: null,
    };
  }

  return {
    adopt: (fileId, projectId) => retryDuplicates(() => adopt(fileId, projectId)),

    async place(document) {
      const { sourceFileId, fileId, projectId } = document;
      return retryDuplicates(() =>
        fileId === sourceFileId
          ? adopt(fileId, projectId)
          : storage.atomically((session) => placeFile(document, session)),
      );
    },

    async placeAndCreate(document) {
      return retryDuplicates((isRetry) =>
        storage.atomically(async (session) => {
          // Nearly all extractions are new. For the others, the insertion fails, and the second attempt finds them.
          const known = isRetry ? await extractions.find(document.extractionId, session) : null;
          if (known !== null) return { record: known, file: null };
          const file = await placeFile(document, session);
          const record = newExtraction(document, file);
          await extractions.insert(record, session);
          return { record, file };
        }),
      );
    },
  };
}

/** Creates the response for a document that is not extracted, which contains only its ids and the warnings of its file. */
export function createPlacedResponse(document: RoutedDocument, { warnings }: FileRecord): Extraction {
  const { extractionId, fileId, projectId, modelId, deploymentId, schemaId } = document;
  return create(ExtractionSchema, {
    id: extractionId,
    fileId,
    projectId,
    modelId,
    ...(deploymentId === undefined ? {} : { deploymentId }),
    schemaId,
    warnings: warningMessages(warnings),
  });
}

function elsewhere(fileId: string): Error {
  return problem(Code.FailedPrecondition, "FILE_IN_OTHER_PROJECT", `The file ${fileId} belongs to another project.`);
}
