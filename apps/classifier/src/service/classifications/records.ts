import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, getReadableClassifications } from "@switchyard/access";
import { ClassificationStatus, ReasonCode } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { notFound } from "@switchyard/rpc";
import { openPage } from "@switchyard/storage";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import { refreshStatuses } from "./extraction-statuses.ts";
import { findReadable, redactEvidence } from "./record-access.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertReadable } from "../lookup.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "listClassifications" | "getClassification">;

/** Creates the RPCs that read classification records. */
export function createRecordRpcs(dependencies: Dependencies): Rpcs {
  const { classifiers, classifications, pageTokens } = dependencies;

  /**
   * Finds a classifier whose records the caller may list. Returns undefined if the classifier was deleted but has records, which stay
   * readable. Throws NOT_FOUND if there are no records either.
   */
  async function findListable(classifierId: string, context: HandlerContext): Promise<ClassifierDocument | undefined> {
    const { organizationId } = getCaller(context);
    const classifier = await classifiers.find(classifierId);
    if (classifier?.organizationId === organizationId) {
      assertReadable(classifier, context);
      return classifier;
    }
    const [left] = await classifications.list({ classifierId, organizationId, limit: 1 });
    if (left === undefined) throw notFound("classifier", classifierId, "classifierId");
    return undefined;
  }

  return {
    async listClassifications(request, context) {
      const classifier = await findListable(request.classifierId, context);
      const caller = getCaller(context);
      const { status, reason, routeId, externalId } = request;
      const query = {
        classifierId: request.classifierId,
        organizationId: caller.organizationId,
        ...(status === ClassificationStatus.UNSPECIFIED ? {} : { status }),
        ...(reason === ReasonCode.UNSPECIFIED ? {} : { reason }),
        ...(routeId === "" ? {} : { routeId }),
        ...(externalId === "" ? {} : { externalId }),
      };
      const page = openPage(pageTokens, query, request);
      const visible = getReadableClassifications(caller);
      const found = await classifications.list({
        ...query,
        ...(visible === "all" ? {} : { visibleTo: visible }),
        limit: page.size + 1,
        ...(page.after === undefined ? {} : { before: page.after }),
      });
      const { items, ...next } = page.take(found, ({ classification }) => classification.id);
      const records = await refreshStatuses(dependencies, items, context);
      return {
        classifications: records.map((record) => redactEvidence(caller, classifier, record)),
        ...next,
      };
    },

    async getClassification({ classifierId, classificationId }, context) {
      const caller = getCaller(context);
      const record = await findReadable(dependencies, { classifierId, classificationId }, context);
      const [fresh] = await refreshStatuses(dependencies, [record], context);
      return redactEvidence(caller, await classifiers.find(classifierId), fresh ?? record.classification);
    },
  };
}
