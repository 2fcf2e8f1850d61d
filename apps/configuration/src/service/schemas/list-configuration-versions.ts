import { create } from "@bufbuild/protobuf";
import { ListConfigurationVersionsResponseSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  ListConfigurationVersionsRequest,
  ListConfigurationVersionsResponse,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getPageSize } from "@switchyard/storage";
import { versionMessage } from "../../store/configuration-messages.ts";
import type { Dependencies } from "../dependencies.ts";
import { targetOnPath } from "../models/path-target.ts";

/** Lists the schemas of a model, newest first. */
export async function listConfigurationVersions(
  { configurations, pageTokens }: Dependencies,
  caller: Caller,
  request: ListConfigurationVersionsRequest,
): Promise<ListConfigurationVersionsResponse> {
  const limit = getPageSize(request.limit);
  const { model } = await targetOnPath(configurations, caller, request.targetId);
  const query = { getConfigurationVersions: model._id };
  const [before] = request.pageToken === "" ? [] : pageTokens.decode(query, request.pageToken);
  const [found, deployments] = await Promise.all([
    configurations.listModelVersions(model._id, limit + 1, before === undefined ? undefined : Number(before)),
    configurations.listModelDeployments(model._id),
  ]);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return create(ListConfigurationVersionsResponseSchema, {
    versions: page.map((version) => versionMessage(version, model, deployments)),
    ...(found.length > limit && last !== undefined
      ? { nextPageToken: pageTokens.encode(query, [String(last.version)]) }
      : {}),
  });
}
