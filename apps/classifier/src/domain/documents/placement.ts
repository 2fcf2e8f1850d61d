/** The file that was classified. */
export interface ClassifiedFile {
  id: string;
  /** Null for a file that was sent with the request. */
  projectId: string | null;
}

/** The file and the project of a classified document. */
export interface Placed {
  fileId: string;
  /** The file that was classified, if the project of the route gets a copy; otherwise null. */
  sourceFileId: string | null;
  projectId: string | null;
}

/**
 * Places a routed document in the project of the routed model. A file of that project or without a project stays the same file.
 * For a file of another project, a new file with the same content is created, with the ID from `newFileId`.
 */
export function placeRouted(file: ClassifiedFile, routedProjectId: string, newFileId: () => string): Placed {
  if (file.projectId === null || file.projectId === routedProjectId) {
    return { fileId: file.id, sourceFileId: null, projectId: routedProjectId };
  }
  return { fileId: newFileId(), sourceFileId: file.id, projectId: routedProjectId };
}

/**
 * Places an unrouted document. A file with a project stays there. A file from the request is placed in the project of the classifier,
 * or in that of the token if the classifier is global. With an organization token, it then has no project.
 */
export function placeUnrouted(
  file: ClassifiedFile,
  classifierProjectId: string | null,
  tokenProjectId: string | null,
): Placed {
  return { fileId: file.id, sourceFileId: null, projectId: file.projectId ?? classifierProjectId ?? tokenProjectId };
}
