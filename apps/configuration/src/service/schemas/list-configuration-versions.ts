import { create } from "@bufbuild/protobuf";
import { ListConfigurationVersionsResponseSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  ListConfigurationVersionsRequest,
  ListConfigurationVersionsResponse,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { openPage } from "@switchyard/storage";
import { versionMessage } from "../../store/configuration-messages.ts";
import type { Dependencies } from "../dependencies.ts";
import { targetOnPath } from "../models/path-target.ts";

/** Lists the schemas of a model, newest first. */
export async function listConfigurationVersions(
  { configurations, pageTokens }: Dependencies,
  caller: Caller,
  request: ListConfigurationVersionsRequest,
): Promise<ListConfigurationVersionsResponse> {
  const { model } = await targetOnPath(configurations, caller, request.targetId);
  const query = { getConfigurationVersions: model._id };
  const page = openPage(pageTokens, query, request);
  const [found, deployments] = await Promise.all([
    configurations.listModelVersions(
      model._id,
      page.size + 1,
      page.after === undefined ? undefined : Number(page.after),
    ),
    configurations.listModelDeployments(model._id),
  ]);
  const { items, ...next } = page.take(found, ({ version }) => String(version));
  return create(ListConfigurationVersionsResponseSchema, {
    versions: items.map((version) => versionMessage(version, model, deployments)),
    ...next,
  });
}
