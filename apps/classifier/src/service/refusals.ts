import type { ConnectError } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { conflict, notFound, problem } from "@switchyard/rpc";
import { maxRoutes } from "../domain/administration/route-list.ts";
import type { RouteListOutcome } from "../domain/administration/route-list.ts";
import type { RouteDocument } from "../store/classifier-document.ts";
import type { ExamplesByRoute, ChangeDecision } from "../store/classifier-writer.ts";

/** The conflict with another classifier that has the name. It does not say which one, as the caller may not be allowed to see it. */
export function nameTaken(): ConnectError {
  return conflict("CLASSIFIER_NAME_TAKEN", "Another classifier has this name.");
}

/** The problem with a request after which a classifier would have too many routes. */
export function tooManyRoutes(field: string): ConnectError {
  const message = `A classifier has at most ${maxRoutes} routes.`;
  return problem(Code.InvalidArgument, "TOO_MANY_ROUTES", message, { violations: [{ field, message }] });
}

/** The problem with a route ID that the classifier does not have. */
export function routeNotFound(routeId: string): ConnectError {
  return notFound("route", routeId, "routeId");
}

/** Converts the outcome of a change of the list of routes to a decision on the classifier. */
export function toChangeDecision(
  outcome: RouteListOutcome<RouteDocument>,
  examples: ExamplesByRoute,
): ChangeDecision<ConnectError> {
  switch (outcome.kind) {
    case "routes":
      return { action: "change", changes: { routes: outcome.routes }, examples };
    case "duplicate": {
      const { existingRouteId } = outcome;
      const message = "The classifier already has a route to this target.";
      return { action: "refuse", refusal: conflict("ROUTE_EXISTS", message, { existingRouteId }) };
    }
    case "full":
      return { action: "refuse", refusal: tooManyRoutes("deploymentId") };
  }
}
