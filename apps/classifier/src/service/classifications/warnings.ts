import { create } from "@bufbuild/protobuf";
import { WarningCode, WarningSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ReadDocumentResponse } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { Warning } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Settings } from "../../domain/administration/classifier-input.ts";

/** Returns the warnings of a classification: those of the reader, and one if the classifier's settings leave out pages. */
export function getWarnings({ file }: ReadDocumentResponse, { pages }: Settings): Warning[] {
  const warnings = [...(file?.warnings ?? [])];
  if (pages !== null && (file?.pageCount ?? 0) > pages) {
    const message = `Only the first ${pages === 1 ? "page was" : `${pages} pages were`} used, according to the settings of the classifier.`;
    warnings.push(create(WarningSchema, { code: WarningCode.PAGES_LEFT_OUT, message }));
  }
  return warnings;
}
