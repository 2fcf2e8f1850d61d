/** The file that was classified. */
export interface ClassifiedFile {
  id: string;
  /** Null for a file without a project: one that came with the request. */
  projectId: string | null;
}

/** Where the document of a classification lives once it is decided. */
export interface Placed {
  fileId: string;
  /** The file that was given, where the routed project gets one of its own; else null. */
  sourceFileId: string | null;
  projectId: string | null;
}

/**
 * Where a routed document lives: in the routed model's project. A file without a project, or of that project already, stays the
 * same file; a file of another project gets a sibling over the same bytes, with the id given.
 */
export function placeRouted(file: ClassifiedFile, routedProjectId: string, newFileId: () => string): Placed {
  if (file.projectId === null || file.projectId === routedProjectId) {
    return { fileId: file.id, sourceFileId: null, projectId: routedProjectId };
  }
  return { fileId: newFileId(), sourceFileId: file.id, projectId: routedProjectId };
}

/**
 * Where an unrouted document lives. A file that has a project stays there. One that came with the request is kept by the
 * classifier's project, or by the token's when the classifier is global; with an organization token it stays without one.
 */
export function placeUnrouted(
  file: ClassifiedFile,
  classifierProjectId: string | null,
  tokenProjectId: string | null,
): Placed {
  return { fileId: file.id, sourceFileId: null, projectId: file.projectId ?? classifierProjectId ?? tokenProjectId };
}
