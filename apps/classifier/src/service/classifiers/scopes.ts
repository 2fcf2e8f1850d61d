import type { ConnectError, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import type { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { problem } from "@switchyard/rpc";
import { getRoutesProject } from "../../domain/administration/route-list.ts";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import { administer } from "./administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { findProject } from "../lookup.ts";
import { createViews } from "./views.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "makeGlobal" | "makeProjectScoped">;

/** The RPCs that change the scope of a classifier. */
export function createScopeRpcs(dependencies: Dependencies): Rpcs {
  const views = createViews(dependencies);
  return {
    // Out of reach, a project classifier is nobody's to make global: it would then be theirs to read.
    makeGlobal: ({ classifierId }, context) =>
      administer(dependencies, classifierId, context, async (checked) => {
        const view = await views.of(checked, context);
        return {
          decide: (current) =>
            view.shows(current) ? { verdict: "change", changes: { projectId: null } } : { verdict: "again" },
          answer: view.entry,
        };
      }),

    makeProjectScoped: ({ classifierId }, context) =>
      administer(dependencies, classifierId, context, async (checked) => {
        const projectId = checked.projectId ?? (await ownerToBe(checked, context));
        const view = await views.of({ ...checked, projectId }, context);
        return {
          decide(current) {
            // A route added meanwhile may lead elsewhere, and one that went may have been the last.
            const owner = getRoutesProject(current.routes);
            const stands = current.projectId !== null || (owner.kind === "one" && owner.projectId === projectId);
            return stands && view.shows(current) ? { verdict: "change", changes: { projectId } } : { verdict: "again" };
          },
          answer: view.entry,
        };
      }),
  };

  /** The project that all routes of a global classifier lead into, which must be in the caller's reach. */
  async function ownerToBe({ routes }: ClassifierDocument, context: HandlerContext): Promise<string> {
    const owner = getRoutesProject(routes);
    switch (owner.kind) {
      case "none":
        throw refused("CLASSIFIER_HAS_NO_ROUTES", "A classifier without routes leads into no project.");
      case "several":
        throw refused("ROUTES_SPAN_PROJECTS", "The routes of this classifier lead into more than one project.");
      case "one":
        return (await findProject(dependencies, owner.projectId, context)).id;
    }
  }
}

function refused(reason: string, message: string): ConnectError {
  return problem(Code.InvalidArgument, reason, message);
}
