import type { CallOptions } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import type { Classification } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ClassificationStatus } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getProblemFacts } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { Sweep } from "@switchyard/storage";
import type { ClassificationRecord } from "../../store/classifications.ts";
import type { Dependencies } from "../dependencies.ts";

type Needs = Pick<Dependencies, "classifications" | "documents">;

/**
 * Does what is still to be done for a record: the file of a routed document goes to the routed model's project and is extracted
 * there; that of an unrouted one to the project that keeps it. Idempotent, by the ids that the record fixed.
 * Returns the record, with the extraction's state as it is now.
 */
export async function place(
  { classifications, documents }: Needs,
  { classification, placement }: ClassificationRecord,
  options: CallOptions,
): Promise<Classification> {
  const { id, projectId, fileId, modelId, targetDeploymentId, schemaId, extraction, createdBy } = classification;
  if (placement === undefined || projectId === undefined) return classification;
  if (classification.status === ClassificationStatus.CLASSIFIED) {
    const started = await documents.startRoutedExtraction(
      {
        extractionId: extraction?.id ?? "",
        sourceFileId: placement.sourceFileId,
        fileId,
        projectId,
        modelId: modelId ?? "",
        ...(targetDeploymentId === undefined ? {} : { deploymentId: targetDeploymentId }),
        schemaId: schemaId ?? "",
        extract: placement.extract,
        createdBy,
      },
      options,
    );
    if (extraction !== undefined) extraction.status = started.status;
  } else {
    await documents.adoptFile({ fileId, projectId }, options);
  }
  await classifications.placed(id);
  return classification;
}

/** How long a record is left to the request that made it before the sweep takes it on, in milliseconds. */
export const requestTimeoutMs = 15_000;
/** How long the sweep waits before it tries a record again that could not be finished, and how many it takes at a time. */
const endOfTime = new Date(8.64e15);
const sweepBounds = { retryMs: 60_000, batch: 100 };

/**
 * Finishes what a crash or an unreachable service left out, once per record. `alone` says that every other process that ever used the
 * database is gone: no request of theirs is waited for in the first round.
 */
export function createPlacementSweep(
  dependencies: Needs & Pick<Dependencies, "now" | "onDeferred"> & { alone: boolean },
  intervalMs: number,
): Sweep {
  const { classifications, now, onDeferred } = dependencies;
  let leftByOthers = dependencies.alone;
  return createSweep({
    intervalMs,
    onError: onDeferred,
    async work() {
      const due = await classifications.due(leftByOthers ? endOfTime : now(), sweepBounds.batch);
      // Nothing is put off for so long: the clock was set back.
      const unlikely = new Date(now().getTime() + 2 * sweepBounds.retryMs);
      if (!leftByOthers) due.push(...(await classifications.dueAfter(unlikely, sweepBounds.batch)));
      leftByOthers = false;
      for (const record of due) {
        // One record that cannot be finished must not hold up the others.
        await place(dependencies, record, {}).catch((error: unknown) => giveUpOrPutOff(dependencies, record, error));
      }
    },
  });
}

/** Tried again later, but for what the answer says can never be: a file or a project that is gone. */
async function giveUpOrPutOff(
  { classifications, now, onDeferred }: Needs & Pick<Dependencies, "now" | "onDeferred">,
  { classification: { id } }: ClassificationRecord,
  error: unknown,
): Promise<void> {
  onDeferred(error);
  const final: Code[] = [Code.FailedPrecondition, Code.NotFound];
  if (final.includes(getProblemFacts(error).code)) await classifications.placed(id);
  else await classifications.putOff(id, new Date(now().getTime() + sweepBounds.retryMs));
}
