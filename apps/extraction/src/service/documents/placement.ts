import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { DeletedProjects } from "@switchyard/change-feed";
import { ExtractionSchema, ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { StartRoutedExtractionRequest } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { Extraction } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { notFound, problem } from "@switchyard/rpc";
import type { Storage } from "@switchyard/storage";
import { AsyncLocalStorage } from "node:async_hooks";
import type { BlobStore } from "../../store/blobs/blobs.ts";
import { retryDuplicates } from "../../store/duplicates.ts";
import type { AdoptedFiles, FoundFile, ProjectFileStore } from "../../store/duplicates.ts";
import type { Completion, ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import { isInProject } from "../../store/files.ts";
import type { FileRecord } from "../../store/files.ts";
import type { CompletedResult, NewExtraction } from "../extractions/new-extraction.ts";
import { createFileMoves, isOwn } from "./file-moves.ts";
import type { PlacedDocument } from "./file-moves.ts";
import type { Runner } from "../extractions/runner.ts";
import { toBatchKey } from "../values/completion.ts";
import type { DeriveValues } from "../values/derivation.ts";
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
  /**
   * Returns the extraction that `placeAndCreate` would create, for an attempt before that. Its method `store` does the same, and stores the
   * values too if there are any. Returns undefined if it exists already or this runner cannot begin with it at once.
   */
  prepare(document: RoutedDocument): Promise<NewExtraction | undefined>;
}

/** The dependencies of the placement. */
export interface PlacementDependencies {
  storage: Pick<Storage, "batchWrites">;
  files: ProjectFileStore;
  blobs: Pick<BlobStore, "ensureStored">;
  extractions: ExtractionStore;
  deriveValues: DeriveValues;
  deletedProjects: Pick<DeletedProjects, "has">;
  runner: Pick<Runner, "firstLease">;
  now: () => number;
}

/** Creates the placement. */
export function createPlacement(dependencies: PlacementDependencies): Placement {
  const { storage, files, blobs, extractions, deriveValues, deletedProjects, runner, now } = dependencies;
  const moves = createFileMoves(files);
  // What was begun for a call is stored even if its client no longer waits, which would end the call's transactions.
  const outsideOfCalls = AsyncLocalStorage.snapshot();

  async function requireProject(projectId: string, session?: Transaction): Promise<void> {
    if (await deletedProjects.has(projectId, session)) throw notFound("project", projectId, "projectId");
  }

  /** Returns the copy of a classified file in the project of the routed model: a new one with the same bytes, unless it exists. */
  async function placeCopy(
    document: PlacedDocument,
    createdAt: Date,
    session: Transaction,
  ): Promise<{ file: FileRecord; isNew: boolean }> {
    const { sourceFileId, fileId, projectId, createdBy } = document;
    const placed = await files.find(fileId, session);
    if (placed !== null) return { file: requirePlaced(fileId, projectId, placed), isNew: false };
    const source = await files.find(sourceFileId, session);
    if (source === null || !(await blobs.ensureStored(source.sha256, session))) {
      throw notFound("file", sourceFileId, "sourceFileId");
    }
    const copy: FileRecord = {
      ...source,
      _id: fileId,
      projectId,
      acceptedFor: [],
      createdAt,
      createdBy,
      expiresAt: null,
    };
    const [inserted = copy] = await files.insert([copy], session);
    return { file: inserted, isNew: true };
  }

  /** Finds the file of a document that can be placed and whose extraction is not stored yet. */
  async function findNew(document: RoutedDocument): Promise<FileRecord | undefined> {
    const { extractionId, sourceFileId, projectId } = document;
    // It was not placed here, so it has no extraction, unless another process was asked to place it within seconds.
    const recent = files.findRecent(sourceFileId);
    if (recent !== undefined) return recent;
    const [source, known, isDeleted] = await Promise.all([
      files.find(sourceFileId),
      extractions.find(extractionId),
      deletedProjects.has(projectId),
    ]);
    if (source === null || known !== null || isDeleted) return undefined;
    const isElsewhere = isOwn(document) && isInProject(source) && source.projectId !== projectId;
    return isElsewhere ? undefined : source;
  }

  /** Looks up the project of a document that comes alone, and its file if that is to be moved. */
  async function lookUp(document: PlacedDocument, file?: FileRecord): Promise<FoundFile | undefined> {
    const [found] = await Promise.all([moves.find(document, file), requireProject(document.projectId)]);
    return found;
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

  /** Places the files of documents of a project, and stores the extractions that are wanted. */
  const placeAll = storage.batchWrites<Arrival>(async (_key, arrivals, session) => {
    const [first] = arrivals;
    if (first === undefined) return true;
    const { projectId } = first.document;
    // If the file was found before, so was the project.
    if (arrivals.length > 1 || first.found === undefined) await requireProject(projectId, session);
    const adopted = await moves.moveAll(arrivals, projectId, session);
    const arrived = [...adopted.arrived];
    const running: ExtractionRecord[] = [];
    const completions: Completion[] = [];
    for (const arrival of arrivals) {
      const { document, extraction, isRetry } = arrival;
      // Nearly all extractions are new. For the others, the insertion fails, and the second attempt finds them.
      const known = isRetry && extraction ? await extractions.find(extraction.id, session) : null;
      if (known !== null) {
        arrival.placed = { record: known, file: null };
        continue;
      }
      const { file, isNew } = isOwn(document)
        ? { file: findAdopted(document, adopted), isNew: false }
        : await placeCopy(document, extraction?.createdAt ?? new Date(now()), session);
      if (isNew) arrived.push(file);
      const record = extraction?.toRecord(file);
      arrival.placed = { record, file };
      if (record === undefined) continue;
      if (extraction?.result === undefined) running.push(record);
      else completions.push({ extraction: record, ...extraction.result });
    }
    if (running.length > 0) await extractions.insert(running, session);
    if (completions.length === 0) return true;
    await extractions.insertCompleted(completions, session);
    await deriveValues(completions, arrived, session);
    return true;
  });

  /** Places a document with others of its project that come at the same time. `looked` is what `lookUp` returned during the attempt. */
  function place(
    document: PlacedDocument,
    extraction?: WantedExtraction,
    looked?: Promise<FoundFile | undefined>,
  ): Promise<Placed> {
    const { projectId } = document;
    return retryDuplicates((isRetry) =>
      moves.place(projectId, async (isAlone) => {
        const found = isAlone && !isRetry ? await (looked ?? lookUp(document)) : undefined;
        if (found !== undefined && extraction === undefined) {
          return { file: await files.adoptFound(found, projectId), record: undefined };
        }
        const arrival: Arrival = { document, found, extraction, isRetry, placed: undefined };
        await placeAll(extraction?.key ?? projectId, arrival);
        if (arrival.placed === undefined) throw new Error("the document was not placed");
        return arrival.placed;
      }),
    );
  }

  async function placeAndStore(
    document: RoutedDocument,
    extraction: Omit<WantedExtraction, "id">,
    looked?: Promise<FoundFile | undefined>,
  ): Promise<{ record: ExtractionRecord; file: FileRecord | null }> {
    const { file, record } = await place(document, { ...extraction, id: document.extractionId }, looked);
    if (record === undefined) throw new Error("the extraction was not stored");
    return { record, file };
  }

  return {
    async adopt(fileId, projectId) {
      const { file } = await place({ sourceFileId: fileId, fileId, projectId, createdBy: "" });
      return requirePlaced(fileId, projectId, file);
    },

    async place(document) {
      return requirePlaced(document.fileId, document.projectId, (await place(document)).file);
    },

    placeAndCreate: (document) => placeAndStore(document, { toRecord: (file) => newExtraction(document, file) }),

    async prepare(document) {
      const source = await findNew(document);
      if (source === undefined) return undefined;
      const file = { ...source, _id: document.fileId, projectId: document.projectId };
      const prepared = newExtraction(document, file);
      if (prepared.attempts === 0) return undefined;
      const toRecord = ({ warnings = [] }: FileRecord): ExtractionRecord => ({ ...prepared, warnings });
      // While the attempt is made.
      const looked = moves.isIdle(document.projectId) ? lookUp(document, source) : undefined;
      looked?.catch(() => undefined);
      return {
        record: prepared,
        file,
        store: (result) =>
          outsideOfCalls(async () => {
            const key = result && toBatchKey(prepared, result.outcome);
            const { createdAt } = prepared;
            const stored = await placeAndStore(document, { toRecord, createdAt, result, key }, looked);
            return stored.file === null ? undefined : stored.record;
          }),
      };
    },
  };
}

/** A file in its project, and its extraction if one is wanted. The file is null if the extraction already existed. */
interface Placed {
  readonly file: FileRecord | null;
  readonly record: ExtractionRecord | undefined;
}

/** An extraction to store, with its result if it is completed. */
interface WantedExtraction {
  readonly id: string;
  /** Returns the extraction of the placed file. */
  readonly toRecord: (file: FileRecord) => ExtractionRecord;
  /** The time at which it was begun. Absent if that is now. */
  readonly createdAt?: Date;
  readonly result?: CompletedResult | undefined;
  /** The key of the batch in which it is stored, instead of the project. */
  readonly key?: string | undefined;
}

/** A document, and what became of it. */
interface Arrival {
  readonly document: PlacedDocument;
  /** Its file if that is to be moved. */
  readonly found: FoundFile | undefined;
  /** Absent if no extraction is wanted. */
  readonly extraction: WantedExtraction | undefined;
  /** Whether the extraction may exist already. */
  readonly isRetry: boolean;
  placed: Placed | undefined;
}

/** Returns the file of a document among those that were to be moved to its project. */
function findAdopted({ fileId, projectId }: PlacedDocument, { arrived, others }: AdoptedFiles): FileRecord {
  const file = [...arrived, ...others].find(({ _id }) => _id === fileId);
  return requirePlaced(fileId, projectId, file ?? null);
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
