import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { DeleteModelOrDeploymentResponseSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  DeleteModelOrDeploymentRequest,
  DeleteModelOrDeploymentResponse,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { conflict } from "@switchyard/rpc";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { modelOrDeploymentOnPath } from "./path-target.ts";

/**
 * Deletes a deployment, or a model without deployments together with its schemas. Its name remains available to the routes that point to
 * it.
 */
export async function deleteModelOrDeployment(
  { administer, finishRemovals, now }: Dependencies,
  { targetId }: DeleteModelOrDeploymentRequest,
  context: HandlerContext,
): Promise<DeleteModelOrDeploymentResponse> {
  const response = await administer(async (records) => {
    const target = await modelOrDeploymentOnPath(records, getCaller(context), targetId);
    const at = now();
    if (target.kind === "deployment") {
      await records.removeDeployment(target.deployment, at);
    } else {
      if ((await records.listModelDeployments(targetId)).length > 0) {
        throw conflict("HAS_DEPLOYMENTS", "The model has deployments; they must be deleted first.");
      }
      await records.removeModel(target.model, at);
    }
    const { name, projectId } = target.kind === "deployment" ? target.deployment : target.model;
    await records.append(changeEntry(context, at, targetId, { name, projectId }));
    return create(DeleteModelOrDeploymentResponseSchema);
  });
  await finishRemovals();
  return response;
}
