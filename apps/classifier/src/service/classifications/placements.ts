import type { CallOptions } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import type { Classification } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ClassificationStatus } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getProblemFacts } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { Sweep } from "@switchyard/storage";
import type { ClassificationRecord, Placement } from "../../store/classification-document.ts";
import type { ClassificationStore } from "../../store/classifications.ts";
import type { PlacedMarks } from "../../store/placed-marks.ts";
import type { Dependencies } from "../dependencies.ts";
import { addDuplicateWarning, isDuplicateWarning } from "./warnings.ts";

type PlacementDependencies = Pick<Dependencies, "classifications" | "documents">;

/**
 * Completes the placement of a record. The file of a routed document is moved to the project of the routed model and extracted there.
 * The file of an unrouted document is moved to the project that keeps it. Returns the classification with the current status of the
 * extraction. Idempotent, because the record contains the IDs. The caller marks the record as placed.
 */
export async function place(
  { documents }: Pick<PlacementDependencies, "documents">,
  { classification, placement }: ClassificationRecord,
  options: CallOptions,
): Promise<Classification> {
  const { projectId, fileId, modelId, targetDeploymentId, schemaId, extraction, createdBy } = classification;
  if (placement?.review !== undefined) {
    const { review, sourceFileId, extract } = placement;
    const started = await documents.startRoutedExtraction({ ...review, sourceFileId, extract }, options);
    if (extract && extraction !== undefined) extraction.status = started.status;
    if (review.fileId === fileId) addDuplicateWarning(classification, started.warnings);
    return classification;
  }
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
    addDuplicateWarning(classification, started.warnings);
  } else {
    const adopted = await documents.adoptFile({ fileId, projectId }, options);
    addDuplicateWarning(classification, adopted.warnings);
  }
  return classification;
}

/** Marks a record as placed as a placement says, together with what that has shown. */
export async function markPlaced(
  { classifications, placedMarks }: { classifications: ClassificationStore; placedMarks?: Pick<PlacedMarks, "add"> },
  { id, warnings }: Classification,
  placement: Placement | undefined,
): Promise<void> {
  const review = placement?.review;
  if (warnings.some(isDuplicateWarning)) await classifications.markPlacedWith(id, warnings, review);
  else if (placedMarks !== undefined && review === undefined) placedMarks.add(id);
  else await classifications.markPlaced([id], review);
}

/** Completes the placement of a record that has to be complete before the record is used. Returns the record as it is then. */
export async function settle(
  dependencies: Pick<PlacementDependencies, "classifications" | "documents">,
  record: ClassificationRecord,
  options: CallOptions,
): Promise<ClassificationRecord> {
  if (record.placement === undefined) return record;
  const classification = await place(dependencies, record, options);
  await markPlaced({ classifications: dependencies.classifications }, classification, record.placement);
  return { ...record, classification, placement: undefined };
}

/** The time that the request has to place a document itself, before the sweep does. */
export const placementGraceMs = 15_000;
const retryDelayMs = 60_000;
const batchSize = 100;
/** The latest time that a Date can have. */
const endOfTime = new Date(8.64e15);

/**
 * Creates the sweep that completes placements which a crash or an unavailable service interrupted. `exclusive` means that no other process
 * uses the database any more, so that the first round takes all placements, whether they are due or not. Rounds are rarer unless a new
 * placement touches the sweep.
 */
export function createPlacementSweep(
  dependencies: PlacementDependencies & Pick<Dependencies, "now" | "onDeferred"> & { exclusive: boolean },
  intervalMs: number,
): Sweep {
  const { classifications, now, onDeferred } = dependencies;
  let includeAll = dependencies.exclusive;
  const sweep = createSweep({
    intervalMs,
    idles: () => true,
    onError: onDeferred,
    async work() {
      const due = await classifications.listDue(includeAll ? endOfTime : now(), batchSize);
      // No placement is postponed for that long. If one is due later, the clock was set back.
      const latest = new Date(now().getTime() + 2 * retryDelayMs);
      if (!includeAll) due.push(...(await classifications.listDueAfter(latest, batchSize)));
      includeAll = false;
      if (due.length > 0) sweep.touch();
      for (const record of due) {
        // A record that fails must not block the others.
        await place(dependencies, record, {})
          .then((placed) => markPlaced({ classifications }, placed, record.placement))
          .catch((error: unknown) => giveUpOrPostpone(dependencies, record, error));
      }
      // Other processes do not report what they leave.
      return dependencies.exclusive ? undefined : placementGraceMs;
    },
  });
  return sweep;
}

/** Postpones a placement, or gives up if it can never succeed because the file or the project was deleted. */
async function giveUpOrPostpone(
  { classifications, now, onDeferred }: PlacementDependencies & Pick<Dependencies, "now" | "onDeferred">,
  { classification: { id }, placement }: ClassificationRecord,
  error: unknown,
): Promise<void> {
  onDeferred(error);
  const final: Code[] = [Code.FailedPrecondition, Code.NotFound];
  if (final.includes(getProblemFacts(error).code)) await classifications.markPlaced([id], placement?.review);
  else await classifications.postpone(id, new Date(now().getTime() + retryDelayMs));
}
