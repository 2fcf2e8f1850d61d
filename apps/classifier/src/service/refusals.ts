import type { ConnectError } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { conflict, notFound, problem } from "@switchyard/rpc";
import { maxRoutes } from "../domain/administration/route-list.ts";
import type { RouteListOutcome } from "../domain/administration/route-list.ts";
import type { RouteDocument } from "../store/classifier-document.ts";
import type { ExamplesByRoute, Verdict } from "../store/classifiers.ts";

/** The conflict of a name that another classifier holds; it does not say which, as the caller may not see it. */
export function nameTaken(): ConnectError {
  return conflict("CLASSIFIER_NAME_TAKEN", "Another classifier has this name.");
}

/** The problem of a classifier that would have too many routes. */
export function tooManyRoutes(field: string): ConnectError {
  const message = `A classifier has at most ${maxRoutes} routes.`;
  return problem(Code.InvalidArgument, "TOO_MANY_ROUTES", message, { violations: [{ field, message }] });
}

/** The problem of a route that the classifier does not have. */
export function noSuchRoute(routeId: string): ConnectError {
  return notFound("route", routeId, "routeId");
}

/** What becomes of a classifier by what became of the list of its routes. */
export function toVerdict(outcome: RouteListOutcome<RouteDocument>, examples: ExamplesByRoute): Verdict<ConnectError> {
  switch (outcome.kind) {
    case "routes":
      return { verdict: "change", changes: { routes: outcome.routes }, examples };
    case "duplicate": {
      const { existingRouteId } = outcome;
      const message = "The classifier already has a route to this target.";
      return { verdict: "refuse", refusal: conflict("ROUTE_EXISTS", message, { existingRouteId }) };
    }
    case "full":
      return { verdict: "refuse", refusal: tooManyRoutes("deploymentId") };
  }
}
