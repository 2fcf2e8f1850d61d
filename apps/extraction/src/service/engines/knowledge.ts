import { fromBinary } from "@bufbuild/protobuf";
import { AcceptedValuesSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { Calibration } from "../../domain/engines/language-model/calibration.ts";
import type { ModelKnowledge } from "../../domain/engines/language-model/language-model.ts";

/** What a language model is told about a document by accepted files, with all messages in binary form, so that threads can exchange it. */
export interface PackedKnowledge {
  readonly examples: readonly { readonly text: Uint8Array; readonly tables: Uint8Array }[];
  readonly calibration: Calibration | null;
  readonly contextTokens?: number | undefined;
}

/** Decodes knowledge. */
export function unpackKnowledge({ examples, calibration, contextTokens }: PackedKnowledge): ModelKnowledge {
  return {
    examples: examples.map(({ text, tables }) => ({
      text: fromBinary(DocumentTextSchema, text),
      tables: fromBinary(AcceptedValuesSchema, tables).tables,
    })),
    calibration,
    contextTokens,
  };
}
