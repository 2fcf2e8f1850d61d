import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import { toNote } from "@switchyard/change-feed";
import { ClassificationReviewSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ClassificationReview } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ReviewService } from "@switchyard/contracts/switchyard/classifier/v1/review";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { callOptions, forbidden, invalid, notFound } from "@switchyard/rpc";
import { fieldChange } from "@switchyard/text";
import type { ClassifierConfiguration, RouteDocument } from "../../store/classifier-document.ts";
import type { ReviewCall } from "../../store/reviews/reviews.ts";
import { placeNow, throwFileGone } from "../classifications/classify.ts";
import { optional } from "../classifications/outcome.ts";
import { refreshStatuses } from "../classifications/extraction-statuses.ts";
import { settle } from "../classifications/placements.ts";
import { findReadable, redactEvidence } from "../classifications/record-access.ts";
import type { Dependencies } from "../dependencies.ts";
import { findConfiguration } from "../lookup.ts";
import { createReviewChange } from "./review-change.ts";

type Rpcs = Pick<ServiceImpl<typeof ReviewService>, "reviewClassification" | "deleteReview">;

/** Creates the RPCs that change the review of a record. */
export function createReviewRpcs(dependencies: Dependencies): Rpcs {
  const { reviews, now } = dependencies;

  /** Finds a record that the caller may review, with its classifier. */
  async function findReviewable(ids: { classifierId: string; classificationId: string }, context: HandlerContext) {
    const classifier = await findConfiguration(dependencies, ids.classifierId, context);
    const record = await findReadable(dependencies, ids, context);
    if (classifier.projectId === null && getCaller(context).scope === TokenScope.PROJECT) {
      throw forbidden("GLOBAL_CLASSIFIER", "A project-scoped token cannot review the records of a global classifier.");
    }
    return { classifier, record };
  }

  function createCall(
    recordId: string,
    classifier: ClassifierConfiguration,
    context: HandlerContext,
    after?: { review: ClassificationReview; extract: boolean },
  ): ReviewCall {
    return {
      toResponse: ({ classification }) => redactEvidence(getCaller(context), classifier, classification),
      note(before) {
        const changes = {
          ...fieldChange("reviewed", before !== undefined, after !== undefined),
          ...fieldChange("routeId", before?.routeId ?? null, after?.review.routeId ?? null),
          ...(after === undefined ? {} : { extract: after.extract }),
        };
        return toNote(context, { at: now(), targetId: recordId, changes });
      },
    };
  }

  return {
    async reviewClassification({ classifierId, classificationId, routeId, extract = true }, context) {
      for (;;) {
        const { classifier, record } = await findReviewable({ classifierId, classificationId }, context);
        const route = routeId === undefined ? undefined : requireRoute(classifier, routeId);
        if (route !== undefined) requireReach(getCaller(context), route.projectId);
        const settled = await settle(dependencies, record, callOptions(context)).catch(throwFileGone);
        await reviews.begin(settled);
        const change = await createReviewChange(dependencies, { classifier, record: settled, route, extract }, context);
        // Reading the file may have taken long, and the events of a project miss what is stored long after its time.
        const review = create(ClassificationReviewSchema, {
          ...optional("routeId", routeId),
          reviewedBy: getCaller(context).userId,
          reviewedAt: timestampFromDate(now()),
        });
        const call = createCall(classificationId, classifier, context, { review, extract });
        const reviewed = await reviews.set(settled, { ...change, review }, call);
        if (reviewed === undefined) throw notFound("classification", classificationId, "classificationId");
        // Reviews of a record at the same time give a project one file and one extraction, and nothing is learned from a deleted file.
        if (reviewed === "changed") continue;
        const classification = await placeNow(dependencies, reviewed, context);
        // The review is stored, so it is answered even if the status of the extraction cannot be read.
        await refreshStatuses(dependencies, [{ ...reviewed, classification }], context).catch(() => undefined);
        return redactEvidence(getCaller(context), classifier, classification);
      }
    },

    async deleteReview(ids, context) {
      const { classifier } = await findReviewable(ids, context);
      const call = createCall(ids.classificationId, classifier, context);
      if (!(await reviews.remove(ids.classificationId, now(), call))) {
        throw notFound("review", ids.classificationId, "classificationId");
      }
      return {};
    },
  };
}

function requireRoute(classifier: ClassifierConfiguration, routeId: string): RouteDocument {
  const route = classifier.routes.find(({ id }) => id === routeId);
  if (route === undefined) throw invalid([{ field: "routeId", message: "must be a route of this classifier" }]);
  return route;
}
