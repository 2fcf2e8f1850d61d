import type { ClassifiedFile } from "../documents/placement.ts";

/** The file of a document in a project. */
export interface FileInProject {
  readonly projectId: string;
  readonly fileId: string;
}

/** The file of a reviewed document in the project of the chosen route. */
export interface ReviewedFile {
  readonly fileId: string;
  /** Whether the file does not exist yet. */
  readonly isNew: boolean;
  /** The files of the document, by project. */
  readonly files: readonly FileInProject[];
}

/**
 * Determines the file of a reviewed document in a project. A file without a project is moved there. The file of another project stays where
 * it is, and the project gets one of its own with the ID from `newFileId`, unless an earlier review has given it one (`placed`).
 */
export function placeReviewed(
  file: ClassifiedFile,
  placed: readonly FileInProject[],
  projectId: string,
  newFileId: () => string,
): ReviewedFile {
  if (file.projectId === null || file.projectId === projectId) {
    return { fileId: file.id, isNew: false, files: placed };
  }
  const known = placed.find((each) => each.projectId === projectId);
  if (known !== undefined) return { fileId: known.fileId, isNew: false, files: placed };
  const fileId = newFileId();
  return { fileId, isNew: true, files: [...placed, { projectId, fileId }] };
}
