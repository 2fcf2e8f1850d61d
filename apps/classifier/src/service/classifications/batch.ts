import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import {
  BatchClassifyResponseSchema,
  BatchProblemSchema,
  BatchResultSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type {
  BatchItem,
  BatchProblem,
  ClassifierService,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { getProblemFacts, invalid, reportError } from "@switchyard/rpc";
import PQueue from "p-queue";
import { toDocumentInput } from "../../domain/documents/document-input.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertUsable, findConfiguration } from "../lookup.ts";
import { placeNow, requireValid, toDocumentMessage } from "./classify.ts";
import { prepareRecord } from "./new-record.ts";
import type { PreparedRecord } from "./new-record.ts";
import { redactEvidence } from "./record-access.ts";
import { discardAll, storeRecords } from "./storing.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "batchClassify">;

/** The maximum number of documents of a batch. */
const maxItems = 100;
/** The number of documents that are read at the same time. */
const parallel = 4;

/** The record or the problem of a document. */
type Result = { prepared: PreparedRecord } | { problem: BatchProblem };

/** Creates the RPC that classifies several documents. All records are stored in one transaction. */
export function createBatchRpc(dependencies: Dependencies): Rpcs {
  async function classifyItem(
    item: BatchItem,
    index: number,
    classifier: ClassifierConfiguration,
    context: HandlerContext,
  ): Promise<Result> {
    // Nobody receives the results of a call that has ended.
    const ended = { problem: create(BatchProblemSchema) };
    if (context.signal.aborted) return ended;
    try {
      const document = toDocumentMessage(requireValid(toDocumentInput(item, "fileId and text")));
      const { extract = true, externalId } = item;
      const order = { document, extract, externalId, explain: false };
      return { prepared: await prepareRecord(dependencies, classifier, order, context) };
    } catch (error) {
      if (context.signal.aborted) return ended;
      return { problem: toProblem(reportError(error, context, dependencies.logger), index) };
    }
  }

  return {
    async batchClassify({ classifierId, items }, context) {
      const classifier = await findConfiguration(dependencies, classifierId, context);
      assertUsable(classifier, context);
      if (items.length === 0 || items.length > maxItems) {
        throw invalid([{ field: "items", message: `must have from 1 to ${maxItems} elements` }]);
      }
      const queue = new PQueue({ concurrency: parallel });
      const results = await queue.addAll(
        items.map((item, index) => () => classifyItem(item, index, classifier, context)),
      );
      const prepared = results.flatMap((result) => ("prepared" in result ? [result.prepared] : []));
      if (context.signal.aborted) await discardAll(prepared);
      context.signal.throwIfAborted();
      const caller = getCaller(context);
      const toResponse = () =>
        create(BatchClassifyResponseSchema, {
          results: results.map((result, index) =>
            create(
              BatchResultSchema,
              "prepared" in result
                ? { index, classification: redactEvidence(caller, classifier, result.prepared.record.classification) }
                : { index, problem: result.problem },
            ),
          ),
        });
      await storeRecords(dependencies, classifierId, prepared, toResponse);
      await queue.addAll(
        prepared.map(({ record }) => async () => {
          record.classification = await placeNow(dependencies, record, context);
        }),
      );
      return toResponse();
    },
  };
}

/** Converts the error of a document to its problem. Fields are named as in the request. */
function toProblem(error: unknown, index: number): BatchProblem {
  const { reason, message, violations } = getProblemFacts(error);
  return create(BatchProblemSchema, {
    code: reason,
    detail: message,
    errors: violations.map((each) => ({ field: `items[${index}].${each.field}`, message: each.message })),
  });
}
