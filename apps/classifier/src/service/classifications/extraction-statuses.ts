import type { HandlerContext } from "@connectrpc/connect";
import type { Classification } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { callOptions } from "@switchyard/rpc";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * Updates the status of extractions that were running when their record was stored. An extraction that was started and no longer exists
 * was deleted with its project, so it has failed.
 */
export async function refreshStatuses(
  { documents }: Pick<Dependencies, "documents">,
  records: readonly ClassificationRecord[],
  context: HandlerContext,
): Promise<Classification[]> {
  const running = records.flatMap(({ classification: { extraction }, placement }) =>
    extraction?.status === ExtractionStatus.RUNNING ? [{ extraction, started: placement === undefined }] : [],
  );
  if (running.length > 0) {
    const extractionIds = running.map(({ extraction }) => extraction.id);
    const { statuses } = await documents.getExtractionStatuses({ extractionIds }, callOptions(context));
    for (const { extraction, started } of running) {
      extraction.status = statuses[extraction.id] ?? (started ? ExtractionStatus.FAILED : extraction.status);
    }
  }
  return records.map(({ classification }) => classification);
}
