import { create } from "@bufbuild/protobuf";
import type { Classification } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { WarningCode, WarningSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ReadDocumentResponse } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { Warning } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Settings } from "../../domain/administration/classifier-input.ts";

/**
 * Returns the warnings of a classification: those of the file, and one if the classifier's settings leave out pages. Whether a file is a
 * duplicate is left out if it is placed in another project, where that is decided.
 */
export function getWarnings({ file }: ReadDocumentResponse, { pages }: Settings, projectId: string | null): Warning[] {
  const isPlaced = (file?.projectId ?? null) === projectId;
  const warnings = (file?.warnings ?? []).filter((each) => isPlaced || !isDuplicateWarning(each));
  if (pages !== null && (file?.pageCount ?? 0) > pages) {
    const message = `Only the first ${pages === 1 ? "page was" : `${pages} pages were`} used, according to the settings of the classifier.`;
    warnings.push(create(WarningSchema, { code: WarningCode.PAGES_LEFT_OUT, message }));
  }
  return warnings;
}

/** Whether a warning says that the project already had the bytes of the file. */
export function isDuplicateWarning({ code }: Warning): boolean {
  return code === WarningCode.DUPLICATE_FILE;
}

/** Adds the warning that the file of a record is a duplicate, if its file has it and the record does not. */
export function addDuplicateWarning({ warnings }: Classification, ofFile: readonly Warning[]): void {
  if (!warnings.some(isDuplicateWarning)) warnings.push(...ofFile.filter(isDuplicateWarning));
}
