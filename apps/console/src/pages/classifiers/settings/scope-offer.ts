import type { ClassifierDetail } from "@switchyard/client";

/** The change of scope that a classifier can have next, and why it is not offered. */
export type ScopeOffer = {
  readonly action: "makeGlobal" | "makeProjectScoped";
  /** Why the server would refuse it; undefined if it would not. */
  readonly refusal:
    | { readonly code: "NO_PERMISSION" | "NO_ROUTES" }
    | { readonly code: "SPANS_PROJECTS"; readonly projects: string }
    | { readonly code: "OUT_OF_REACH"; readonly project: string }
    | undefined;
};

/**
 * Says which change of scope is possible, by the rules of the server in their order. `reached` are the IDs of the projects that the caller
 * reaches.
 */
export function findScopeOffer(
  { isGlobal, routeProjects }: Pick<ClassifierDetail, "isGlobal" | "routeProjects">,
  mayChangeScope: boolean,
  reached: readonly string[],
): ScopeOffer {
  const action = isGlobal ? "makeProjectScoped" : "makeGlobal";
  if (!mayChangeScope) return { action, refusal: { code: "NO_PERMISSION" } };
  if (!isGlobal) return { action, refusal: undefined };
  const [only, ...others] = routeProjects;
  if (only === undefined) return { action, refusal: { code: "NO_ROUTES" } };
  if (others.length > 0)
    return { action, refusal: { code: "SPANS_PROJECTS", projects: routeProjects.map(({ name }) => name).join(", ") } };
  return { action, refusal: reached.includes(only.id) ? undefined : { code: "OUT_OF_REACH", project: only.name } };
}
