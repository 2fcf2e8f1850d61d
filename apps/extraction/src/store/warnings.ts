import { create } from "@bufbuild/protobuf";
import { WarningSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Warning, WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import mongoose from "mongoose";

/** A warning about a document that was read. */
export interface StoredWarning {
  code: WarningCode;
  message: string;
}

/** Creates the schema field of warnings. */
export function warningsField() {
  return [new mongoose.Schema<StoredWarning>({ code: Number, message: String }, { _id: false })];
}

/** Converts warnings to messages. Documents of earlier versions have none. */
export function warningMessages(warnings: readonly StoredWarning[] = []): Warning[] {
  return warnings.map(({ code, message }) => create(WarningSchema, { code, message }));
}
