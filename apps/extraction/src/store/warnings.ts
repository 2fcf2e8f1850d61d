import { create } from "@bufbuild/protobuf";
import { WarningSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Warning, WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import mongoose from "mongoose";

/** What to know of a document as it was read. */
export interface StoredWarning {
  code: WarningCode;
  message: string;
}

/** The field of a schema that holds warnings. */
export function warningsField() {
  return [new mongoose.Schema<StoredWarning>({ code: Number, message: String }, { _id: false })];
}

/** The messages of warnings; none for a document that was stored before there were any. */
export function warningMessages(warnings: readonly StoredWarning[] = []): Warning[] {
  return warnings.map(({ code, message }) => create(WarningSchema, { code, message }));
}
