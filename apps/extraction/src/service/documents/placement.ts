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
import type { ProjectFileStore } from "../../store/duplicates.ts";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import type { FileRecord } from "../../store/files.ts";
import type { Runner } from "../extractions/runner.ts";
import type { Transaction } from "../../store/transaction.ts";
import { warningMessages } from "../../store/warnings.ts";

/** A routed document: its file, the target project, and the ids to use. */
export type RoutedDocument = Omit<StartRoutedExtractionRequest, "$typeName" | "$unknown" | "extract">;

/**
 * Places files in projects. Documents of a project that come at the same time share a transaction. All methods are idempotent by the IDs that
 * the caller chose. They throw NotFound for a deleted project.
 */
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
  storage: Pick<Storage, "batchWrites">;
  files: ProjectFileStore;
  blobs: Pick<BlobStore, "ensureStored">;
  extractions: ExtractionStore;
  deletedProjects: Pick<DeletedProjects, "has">;
  runner: Pick<Runner, "firstLease">;
  now: () => number;
}

/** Creates the placement. */
export function createPlacement(dependencies: PlacementDependencies): Placement {
  const { storage, files, blobs, extractions, deletedProjects, runner, now } = dependencies;

  async function requireProject(projectId: string, session: Transaction): Promise<void> {
    if (await deletedProjects.has(projectId, session)) throw notFound("project", projectId, "projectId");
  }

  /** Returns the copy of a classified file in the project of the routed model: a new one with the same bytes, unless it exists. */
  async function placeCopy(document: PlacedDocument, session: Transaction): Promise<FileRecord> {
    const { sourceFileId, fileId, projectId, createdBy } = document;
    const placed = await files.find(fileId, session);
    if (placed !== null) return requirePlaced(fileId, projectId, placed);
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

  /** Places the files of documents of a project, and creates the extractions that are wanted. */
  const placeAll = storage.batchWrites<Arrival>(async (projectId, arrivals, session) => {
    await requireProject(projectId, session);
    const created: ExtractionRecord[] = [];
    const moved = arrivals.flatMap(({ document }) => (isOwn(document) ? [document.fileId] : []));
    const placed = moved.length === 0 ? [] : await files.adopt([...new Set(moved)], projectId, session);
    const byId = new Map(placed.map((file) => [file._id, file]));
    for (const arrival of arrivals) {
      const { document, toExtract, isRetry } = arrival;
      // Nearly all extractions are new. For the others, the insertion fails, and the second attempt finds them.
      const known = isRetry && toExtract ? await extractions.find(toExtract.extractionId, session) : null;
      if (known !== null) {
        arrival.result = { record: known, file: null };
        continue;
      }
      const { fileId } = document;
      const file = isOwn(document)
        ? requirePlaced(fileId, projectId, byId.get(fileId) ?? null)
        : await placeCopy(document, session);
      const record = toExtract && newExtraction(toExtract, file);
      if (record !== undefined) created.push(record);
      arrival.result = { record, file };
    }
    if (created.length > 0) await extractions.insert(created, session);
    return true;
  });

  /** Places a document with others of its project that come at the same time. */
  async function place(document: PlacedDocument, toExtract?: RoutedDocument): Promise<Placed> {
    return retryDuplicates(async (isRetry) => {
      const arrival: Arrival = { document, toExtract, isRetry, result: undefined };
      await placeAll(document.projectId, arrival);
      if (arrival.result === undefined) throw new Error("the document was not placed");
      return arrival.result;
    });
  }

  return {
    async adopt(fileId, projectId) {
      const { file } = await place({ sourceFileId: fileId, fileId, projectId, createdBy: "" });
      return requirePlaced(fileId, projectId, file);
    },

    async place(document) {
      return requirePlaced(document.fileId, document.projectId, (await place(document)).file);
    },

    async placeAndCreate(document) {
      const { file, record } = await place(document, document);
      if (record === undefined) throw new Error("the extraction was not created");
      return { record, file };
    },
  };
}

/** What places a file. */
type PlacedDocument = Pick<RoutedDocument, "sourceFileId" | "fileId" | "projectId" | "createdBy">;

/** A file in its project, and its extraction if one is wanted. The file is null if the extraction already existed. */
interface Placed {
  readonly file: FileRecord | null;
  readonly record: ExtractionRecord | undefined;
}

/** A document, and what became of it. */
interface Arrival {
  readonly document: PlacedDocument;
  /** The document if an extraction of it is wanted. */
  readonly toExtract: RoutedDocument | undefined;
  /** Whether the extraction may exist already. */
  readonly isRetry: boolean;
  result: Placed | undefined;
}

/** Whether the classified file itself is extracted, and not a copy of it. */
function isOwn({ fileId, sourceFileId }: PlacedDocument): boolean {
  return fileId === sourceFileId;
}

/** Returns a file that was moved to a project. Throws if it does not exist or belongs to another project. */
function requirePlaced(fileId: string, projectId: string, file: FileRecord | null): FileRecord {
  if (file === null) throw notFound("file", fileId, "fileId");
  if (file.projectId !== projectId) {
    throw problem(Code.FailedPrecondition, "FILE_IN_OTHER_PROJECT", `The file ${fileId} belongs to another project.`);
  }
  return file;
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
