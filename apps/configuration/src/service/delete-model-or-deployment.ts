import { create } from "@bufbuild/protobuf";
import { DeleteModelOrDeploymentResponseSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  DeleteModelOrDeploymentRequest,
  DeleteModelOrDeploymentResponse,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { conflict, notFound } from "@switchyard/rpc";
import type { Dependencies } from "./dependencies.ts";
import { modelOrDeploymentOnPath } from "./path-target.ts";

/** Deletes a deployment, or a model without deployments together with its schemas. Its name stays known to the routes to it. */
export async function deleteModelOrDeployment(
  { configurations, deletions, now }: Dependencies,
  caller: Caller,
  { targetId }: DeleteModelOrDeploymentRequest,
): Promise<DeleteModelOrDeploymentResponse> {
  const target = await modelOrDeploymentOnPath(configurations, caller, targetId);
  const outcome =
    target.kind === "deployment"
      ? await deletions.deleteDeployment(target.deployment._id, now())
      : await deletions.deleteModel(target.model._id, now());
  switch (outcome) {
    case "deleted":
      return create(DeleteModelOrDeploymentResponseSchema);
    case "gone":
      throw notFound("deployment", targetId, "deploymentId");
    case "has-deployments":
      throw conflict("HAS_DEPLOYMENTS", "The model has deployments; they must be deleted first.");
  }
}
