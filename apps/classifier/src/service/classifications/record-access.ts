import type { HandlerContext } from "@connectrpc/connect";
import { canReachProject, canReadClassification, getCaller } from "@switchyard/access";
import type { Classification } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { forbidden, notFound } from "@switchyard/rpc";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";

/** Finds a record of a classifier. Throws NOT_FOUND if there is none, and PERMISSION_DENIED if the caller may not read it. */
export async function findReadable(
  { classifications }: Pick<Dependencies, "classifications">,
  { classifierId, classificationId }: { classifierId: string; classificationId: string },
  context: HandlerContext,
): Promise<ClassificationRecord> {
  const caller = getCaller(context);
  const { organizationId } = caller;
  const record = await classifications.find(classificationId);
  if (record?.organizationId !== organizationId || record.classification.classifierId !== classifierId) {
    throw notFound("classification", classificationId, "classificationId");
  }
  if (!canReadClassification(caller, { tokenId: record.tokenId, projectId: record.projectId }, organizationId)) {
    throw forbidden("CLASSIFICATION_OUT_OF_REACH", "The token has no access to the project of this classification.");
  }
  return record;
}

/** Removes the evidence for routes into projects that the caller cannot reach, because it quotes examples and columns of the project. */
export function redactEvidence(
  caller: Caller,
  classifier: ClassifierConfiguration | undefined,
  record: Classification,
): Classification {
  const projectByRoute = new Map(classifier?.routes.map(({ id, projectId }) => [id, projectId]));
  for (const score of record.scores) {
    const projectId = projectByRoute.get(score.routeId);
    if (projectId === undefined || !canReachProject(caller, projectId)) delete score.evidence;
  }
  return record;
}
