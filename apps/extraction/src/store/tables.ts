import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ExtractionSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

// Worker threads load this module, and must not load mongoose, which takes a tenth of a second and 10 MiB in each of them.

/** Serializes values for storage as a message, because the slugs in them may be any key. */
export function encodeTables(tables: ExtractedTable[]): Uint8Array {
  return toBinary(ExtractionSchema, create(ExtractionSchema, { tables }));
}

/** Deserializes stored values. */
export function decodeTables(bytes: Uint8Array): ExtractedTable[] {
  return fromBinary(ExtractionSchema, bytes).tables;
}
