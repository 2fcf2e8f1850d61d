import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ClassificationStatus, ReasonCode } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Classification, ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { openPage, toTimeRange } from "@switchyard/storage";
import type { Dependencies } from "../dependencies.ts";
import { findProject } from "../lookup.ts";
import { refreshStatuses } from "./extraction-statuses.ts";
import { redactEvidence } from "./record-access.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "listProjectClassifications">;

/** Creates the RPC that lists the records of a project. */
export function createProjectRecordRpc(dependencies: Dependencies): Rpcs {
  const { classifiers, classifications, pageTokens } = dependencies;

  /** Removes the evidence that the caller may not see. Only the classifiers of records with evidence are read, all at once. */
  async function redact(records: readonly Classification[], context: HandlerContext): Promise<Classification[]> {
    const explained = records.filter(({ scores }) => scores.some(({ evidence }) => evidence !== undefined));
    const found = await classifiers.findConfigurations(explained.map(({ classifierId }) => classifierId));
    const byId = new Map(found.map((classifier) => [classifier._id, classifier]));
    return records.map((record) => redactEvidence(getCaller(context), byId.get(record.classifierId), record));
  }

  return {
    async listProjectClassifications(request, context) {
      const { projectId, status, reason, classifierId } = request;
      await findProject(dependencies, projectId, context);
      const range = toTimeRange(request);
      const query = {
        projectId,
        ...(status === ClassificationStatus.UNSPECIFIED ? {} : { status }),
        ...(reason === ReasonCode.UNSPECIFIED ? {} : { reason }),
        ...(classifierId === "" ? {} : { classifierId }),
      };
      const bound = { list: "project", ...query, from: range.from?.getTime(), to: range.to?.getTime() };
      const page = openPage(pageTokens, bound, request);
      const found = await classifications.listOfProject({
        ...query,
        ...range,
        limit: page.size + 1,
        ...(page.after === undefined ? {} : { before: page.after }),
      });
      const { items, ...next } = page.take(found, ({ classification }) => classification.id);
      const records = await refreshStatuses(dependencies, items, context);
      return { classifications: await redact(records, context), ...next };
    },
  };
}
