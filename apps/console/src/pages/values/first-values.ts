import type { ListModelsResponse } from "@switchyard/client";
import { firstRequests } from "../../api/first-requests.ts";
import { prefetchCall, prefetchItems } from "../../api/queries.ts";
import type { Prefetch } from "../../api/queries.ts";

/** Requests what the page of values shows without a choice: the models, and then the values of the first one that has a schema. */
export function prefetchValues(projectId: string): Prefetch {
  return async (client, queries) => {
    await prefetchCall(...firstRequests.models(projectId))(client, queries);
    const models = queries.getQueryData<ListModelsResponse>(firstRequests.models(projectId))?.data ?? [];
    const deploymentId = models.find(({ extractionSchemaId }) => extractionSchemaId !== null)?.id;
    if (deploymentId === undefined) return;
    const requests = [
      prefetchCall(...firstRequests.configuration(deploymentId)),
      prefetchItems(...firstRequests.values({ deploymentId })),
      prefetchItems(...firstRequests.valuesToReview({ deploymentId })),
    ];
    await Promise.all(requests.map((request) => request(client, queries)));
  };
}
