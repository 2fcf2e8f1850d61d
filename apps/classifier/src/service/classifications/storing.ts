import type { Message } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { getProblemFacts, notFound } from "@switchyard/rpc";
import { getIdTime, newId } from "@switchyard/storage";
import { idPrefix } from "../../store/classification-document.ts";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { Dependencies } from "../dependencies.ts";
import type { PreparedRecord } from "./new-record.ts";

/**
 * Gives the records of a classifier their IDs, and stores them in one transaction with the response of the call. Throws NotFound if the classifier was
 * deleted. If they are not stored, nothing remains of documents that were sent inline.
 */
export async function storeRecords(
  { classifications }: Pick<Dependencies, "classifications">,
  classifierId: string,
  prepared: readonly PreparedRecord[],
  toResponse: () => Message,
): Promise<void> {
  const records = prepared.map(({ record }) => record);
  for (const record of records) identify(record);
  try {
    if (await classifications.insert(records, toResponse)) return;
  } catch (error) {
    // After an error of the database itself, which has no facts, they may be stored nevertheless.
    if (getProblemFacts(error).code !== Code.Internal) await discardAll(prepared);
    throw error;
  }
  await discardAll(prepared);
  throw notFound("classifier", classifierId, "classifierId");
}

/** Removes the inline documents of records that will not be stored. */
export async function discardAll(prepared: readonly PreparedRecord[]): Promise<void> {
  await Promise.all(prepared.map(({ discard }) => discard()));
}

/** The lists and the events of a project are in the order of the times of records, and miss what is stored long after its time. */
function identify({ classification }: ClassificationRecord): void {
  classification.id = newId(idPrefix);
  classification.createdAt = timestampFromDate(getIdTime(classification.id));
}
