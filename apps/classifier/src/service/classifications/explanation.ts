import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import { ClassificationSchema, ExplanationSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type {
  Classification,
  ClassifierService,
  Explanation,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { findReadableConfiguration } from "../lookup.ts";
import { throwFileGone } from "./classify.ts";
import { admit, decideDocument, readForDecision } from "./document-decision.ts";
import { optional, toEngineMessage, toFigures, toOutcome, toScoreMessages, toUsageMessage } from "./outcome.ts";
import { findReadable, redactEvidence } from "./record-access.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "getExplanation">;

/** Creates the RPC that explains a record. */
export function createExplanationRpc(dependencies: Dependencies): Rpcs {
  return {
    async getExplanation({ classifierId, classificationId }, context) {
      const record = await findReadable(dependencies, { classifierId, classificationId }, context);
      const { classification } = record;
      const recorded = classification.scores.some(({ evidence }) => evidence !== undefined);
      const decided = recorded
        ? redactEvidence(
            getCaller(context),
            await dependencies.classifiers.findConfiguration(classifierId),
            classification,
          )
        : await decideAnew(dependencies, record, context);
      const sameDecision = decided.status === classification.status && decided.routeId === classification.routeId;
      return toExplanation(decided, { classificationId, recorded, sameDecision });
    },
  };
}

/** Decides the document of a record with the current engine, routes and settings. Stores nothing. */
async function decideAnew(
  dependencies: Dependencies,
  { classification, projectId, placement }: ClassificationRecord,
  context: HandlerContext,
): Promise<Classification> {
  const caller = getCaller(context);
  // Whoever may read a record may read a file without a project.
  if (projectId !== null) requireReach(caller, projectId);
  const classifier = await findReadableConfiguration(dependencies, classification.classifierId, context);
  admit(dependencies.engineChoice, classifier);
  // Until the document is placed, its file may be another one.
  const document = { case: "recordedFileId" as const, value: placement?.sourceFileId ?? classification.fileId };
  const reading = readForDecision(dependencies, classifier, document, context).catch(throwFileGone);
  const { resolved, routing } = await decideDocument(dependencies, classifier, reading, true, context);
  const { decision } = routing;
  const route =
    decision.status === "CLASSIFIED" ? classifier.routes.find(({ id }) => id === decision.routeId) : undefined;
  const decided = create(ClassificationSchema, {
    ...toOutcome(decision, route, route === undefined ? undefined : resolved.get(route)),
    ...toFigures(decision),
    scores: toScoreMessages(routing.scores, classifier.routes, true),
    engine: toEngineMessage(routing.engine),
    ...optional("usage", toUsageMessage(routing.usage)),
  });
  return redactEvidence(caller, classifier, decided);
}

function toExplanation(
  { status, reason, routeId, routeName, confidence, threshold, margin, scores, engine, usage }: Classification,
  facts: { classificationId: string; recorded: boolean; sameDecision: boolean },
): Explanation {
  return create(ExplanationSchema, {
    ...facts,
    status,
    ...optional("reason", reason),
    ...optional("routeId", routeId),
    ...optional("routeName", routeName),
    ...optional("confidence", confidence),
    ...optional("threshold", threshold),
    ...optional("margin", margin),
    scores,
    ...optional("engine", engine),
    ...optional("usage", usage),
  });
}
