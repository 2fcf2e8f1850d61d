import type { Client } from "@connectrpc/connect";
import type { CallOptions } from "@connectrpc/connect";
import { assertProjectReach, requireReach } from "@switchyard/access";
import type { Caller, IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, notFound } from "@switchyard/rpc";
import type { ExtractionRecord, ExtractionStore } from "../store/extractions.ts";
import type { FileRecord, FileStore } from "../store/files.ts";

/** Checks of access. Objects of another organization are NotFound; those in projects out of reach are PermissionDenied (api.md 7). */
export interface Visibility {
  /** Throws unless the project is in the caller's reach. */
  project(caller: Caller, projectId: string, options: CallOptions): Promise<void>;
  /** Finds a file that the caller may read. A file without a project can only be read through its classification, and is NotFound here. */
  file(caller: Caller, fileId: string): Promise<FileRecord>;
  /** Finds an extraction that the caller may read. */
  extraction(caller: Caller, extractionId: string): Promise<ExtractionRecord>;
}

/** The dependencies of the checks. */
export interface VisibilityDependencies {
  files: FileStore;
  extractions: ExtractionStore;
  projects: Client<typeof IdentityLookupService>;
}

/** Creates the checks. */
export function createVisibility({ files, extractions, projects }: VisibilityDependencies): Visibility {
  return {
    async project(caller, projectId, options) {
      await assertProjectReach(projects, caller, projectId, options);
    },

    async file(caller, fileId) {
      if (fileId === "") throw required("fileId");
      const record = await findOrganizationFile(files, caller, fileId);
      requireReach(caller, record.projectId);
      return record;
    },

    async extraction(caller, extractionId) {
      if (extractionId === "") throw required("extractionId");
      const record = await extractions.find(extractionId);
      if (record === null || record.organizationId !== caller.organizationId) {
        throw notFound("extraction", extractionId, "extractionId");
      }
      requireReach(caller, record.projectId);
      return record;
    },
  };
}

/** Finds a file of the caller's organization that has a project, whether in reach or not. Throws NotFound. */
export async function findOrganizationFile(
  files: FileStore,
  caller: Caller,
  fileId: string,
): Promise<FileRecord & { projectId: string }> {
  const record = await files.find(fileId);
  if (record === null || record.organizationId !== caller.organizationId || record.projectId === null) {
    throw notFound("file", fileId, "fileId");
  }
  return { ...record, projectId: record.projectId };
}

function required(field: string): Error {
  return invalid([{ field, message: "is required" }]);
}
