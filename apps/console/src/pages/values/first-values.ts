import type { ListModelsResponse } from "@switchyard/client";
import { prefetchCall, prefetchItems } from "../../api/queries.ts";
import type { Prefetch } from "../../api/queries.ts";

/** Requests what the page of values shows without a choice: the models, and then the values of the first one that has a schema. */
export function prefetchValues(projectId: string): Prefetch {
  return async (client, queries) => {
    await prefetchCall("listModels", { projectId })(client, queries);
    const models = queries.getQueryData<ListModelsResponse>(["listModels", { projectId }])?.data ?? [];
    const deploymentId = models.find(({ extractionSchemaId }) => extractionSchemaId !== null)?.id;
    if (deploymentId === undefined) return;
    const requests = [
      prefetchCall("getConfiguration", { deploymentId }),
      prefetchItems("listValues", { deploymentId }),
      prefetchItems("listValues", { deploymentId, status: "NEEDS_REVIEW" }),
    ];
    await Promise.all(requests.map((request) => request(client, queries)));
  };
}
