import type { ConnectError, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import type { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { problem } from "@switchyard/rpc";
import type { ReasonOf } from "@switchyard/contracts/reasons";
import { findCommonProject } from "../../domain/administration/route-list.ts";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import { administer } from "./administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { findProject } from "../lookup.ts";
import { createViews } from "./views.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "makeGlobal" | "makeProjectScoped">;

/** Creates the RPCs that change the scope of a classifier. */
export function createScopeRpcs(dependencies: Dependencies): Rpcs {
  const views = createViews(dependencies);
  return {
    // A caller who cannot reach the project may not make its classifier global, as that would let the caller read it.
    makeGlobal: ({ classifierId }, context) =>
      administer(dependencies, classifierId, context, async (checked) => {
        const view = await views.load(checked, context);
        return {
          decide: (current) =>
            view.covers(current) ? { action: "change", changes: { projectId: null } } : { action: "retry" },
          toResponse: view.toMessage,
        };
      }),

    makeProjectScoped: ({ classifierId }, context) =>
      administer(dependencies, classifierId, context, async (checked) => {
        const projectId = checked.projectId ?? (await findOwner(checked, context));
        const view = await views.load({ ...checked, projectId }, context);
        return {
          decide(current) {
            // Meanwhile a route into another project may have been added, or the last route removed.
            const owner = findCommonProject(current.routes);
            const isAllowed = current.projectId !== null || (owner.kind === "one" && owner.projectId === projectId);
            return isAllowed && view.covers(current)
              ? { action: "change", changes: { projectId } }
              : { action: "retry" };
          },
          toResponse: view.toMessage,
        };
      }),
  };

  /** Finds the project that all routes of a global classifier lead into. The caller must reach it. */
  async function findOwner({ routes }: ClassifierDocument, context: HandlerContext): Promise<string> {
    const owner = findCommonProject(routes);
    switch (owner.kind) {
      case "none":
        throw invalidScope("CLASSIFIER_HAS_NO_ROUTES", "The classifier has no routes, so no project can own it.");
      case "several":
        throw invalidScope("ROUTES_SPAN_PROJECTS", "The routes of this classifier belong to more than one project.");
      case "one":
        return (await findProject(dependencies, owner.projectId, context)).id;
    }
  }
}

function invalidScope(reason: ReasonOf<"INVALID_ARGUMENT">, message: string): ConnectError {
  return problem(Code.InvalidArgument, reason, message);
}
