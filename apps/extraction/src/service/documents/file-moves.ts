import type { StartRoutedExtractionRequest } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { LRUCache } from "lru-cache";
import type { AdoptedFiles, FoundFile, ProjectFileStore } from "../../store/duplicates.ts";
import { isInProject } from "../../store/files.ts";
import type { FileRecord } from "../../store/files.ts";
import type { Transaction } from "../../store/transaction.ts";

/** What places a file. */
export type PlacedDocument = Pick<StartRoutedExtractionRequest, "sourceFileId" | "fileId" | "projectId" | "createdBy">;

/** A document to place, with what was found about its file if that is to be moved. */
export interface DocumentToMove {
  readonly document: PlacedDocument;
  readonly found: FoundFile | undefined;
}

/**
 * Moves files without a project to the projects of their documents. A document that comes alone is looked up first, which is cheaper than
 * reading within a transaction. Those that come at the same time share a transaction and its reads.
 */
export interface FileMoves {
  /** Whether something that is placed in a project now will probably be alone. */
  isIdle(projectId: string): boolean;
  /**
   * Places something in a project. `isAlone` tells the work whether it is, as far as `isIdle` knows. What comes while something is
   * placed alone waits for that, and begins together.
   */
  place<Result>(projectId: string, work: (isAlone: boolean) => Promise<Result>): Promise<Result>;
  /** Finds what is needed to move the file of a document. Returns undefined if it is not to be moved. `file` is the file if it is known. */
  find(document: PlacedDocument, file?: FileRecord): Promise<FoundFile | undefined>;
  /** Moves the files of documents of a project within a transaction. Throws errors for `retryDuplicates`. */
  moveAll(documents: readonly DocumentToMove[], projectId: string, session: Transaction): Promise<AdoptedFiles>;
}

/** The maximum number of projects that are remembered as crowded. */
const maxCrowded = 1_000;

/** Creates the object that moves files. */
export function createFileMoves(files: ProjectFileStore): FileMoves {
  /** What is being placed in each project. */
  const placing = new Map<string, { count: number; isShared: boolean; readonly first: Promise<unknown> }>();
  /** The projects in which documents came at the same time when something was last placed there. The next ones probably will too. */
  const crowded = new LRUCache<string, true>({ max: maxCrowded });

  const isIdle = (projectId: string): boolean => !placing.has(projectId) && !crowded.has(projectId);

  return {
    isIdle,

    async place(projectId, work) {
      const others = placing.get(projectId);
      const isAlone = isIdle(projectId);
      const placed = others === undefined ? work(isAlone) : others.first.then(() => work(false));
      const first = isAlone ? placed.catch(() => undefined) : Promise.resolve();
      const entry = others ?? { count: 0, isShared: false, first };
      placing.set(projectId, entry);
      entry.count += 1;
      entry.isShared ||= entry.count > 1;
      try {
        return await placed;
      } finally {
        entry.count -= 1;
        if (entry.count === 0) {
          placing.delete(projectId);
          if (entry.isShared) crowded.set(projectId, true);
          else crowded.delete(projectId);
        }
      }
    },

    async find(document, known) {
      if (!isOwn(document)) return undefined;
      const file = known ?? files.findRecent(document.fileId) ?? (await files.find(document.fileId));
      if (file === null || isInProject(file)) return undefined;
      return { file, isDuplicate: await files.hasBytes(document.projectId, file.sha256) };
    },

    async moveAll(documents, projectId, session) {
      const [first] = documents;
      // Of several, some may have the same bytes.
      if (first?.found !== undefined && documents.length === 1) {
        return { arrived: [await files.adoptFound(first.found, projectId, session)], others: [] };
      }
      const moved = documents.flatMap(({ document }) => (isOwn(document) ? [document.fileId] : []));
      return files.adopt([...new Set(moved)], projectId, session);
    },
  };
}

/** Whether the classified file itself is placed, and not a copy of it. */
export function isOwn({ fileId, sourceFileId }: PlacedDocument): boolean {
  return fileId === sourceFileId;
}
