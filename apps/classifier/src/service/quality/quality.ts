import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { QualitySchema } from "@switchyard/contracts/switchyard/classifier/v1/quality";
import { invalid } from "@switchyard/rpc";
import { DEFAULT_MIN_MARGIN } from "../../domain/decision/decision.ts";
import { computeQuality } from "../../domain/quality/quality.ts";
import type { Quality } from "../../domain/quality/quality.ts";
import { optional } from "../classifications/outcome.ts";
import type { Dependencies } from "../dependencies.ts";
import { findReadableConfiguration } from "../lookup.ts";
import { replayReviewed } from "./replay.ts";
import { readRecorded } from "./reviewed-decisions.ts";

/** Creates the RPC that measures how well a classifier decides. */
export function createQualityRpc(
  dependencies: Dependencies,
): Pick<ServiceImpl<typeof ClassifierService>, "getQuality"> {
  return {
    async getQuality({ classifierId, precision, replay }, context) {
      const classifier = await findReadableConfiguration(dependencies, classifierId, context);
      if (precision !== undefined && !(precision >= 0 && precision <= 1)) {
        throw invalid([{ field: "precision", message: "must be between 0 and 1" }]);
      }
      const read = replay ? replayReviewed : readRecorded;
      const { routes, settings } = classifier;
      const quality = computeQuality(await read(dependencies, classifier, context), {
        routes,
        precision,
        minMargin: settings.minMargin ?? DEFAULT_MIN_MARGIN,
        ownThresholds: new Map(
          routes.flatMap(({ id, minConfidence }) => (minConfidence === null ? [] : [[id, minConfidence]])),
        ),
      });
      return toMessage(quality);
    },
  };
}

/** Converts figures to their message. Those that are null are unset. */
function toMessage({ reviewed, confusion, routes, riskCoverage, calibrationError, threshold }: Quality) {
  return create(QualitySchema, {
    reviewed,
    confusion: confusion.map((each) => ({
      ...optional("reviewed", each.reviewed),
      ...optional("decided", each.decided),
      count: each.count,
    })),
    routes: routes.map(({ routeId, routeName, support, ...rates }) => ({
      routeId,
      routeName,
      support,
      ...optional("precision", rates.precision),
      ...optional("precisionCi95", rates.precisionCi95),
      ...optional("recall", rates.recall),
      ...optional("recallCi95", rates.recallCi95),
    })),
    riskCoverage: riskCoverage.map((point) => ({ ...point })),
    ...optional("calibrationError", calibrationError),
    ...optional("threshold", threshold),
  });
}
