import { expandTemplate, parseTemplate, type Endpoint, type RestApi } from "@switchyard/rest";
import { invalid, refuseRemoved } from "@switchyard/rpc";
import type { Cors } from "../http/cors.ts";
import { endpointNotFound, methodNotAllowed } from "../http/errors.ts";
import type { Exchange } from "../http/exchange.ts";

/** An endpoint and the values of the variables in its path. */
export interface FoundEndpoint {
  readonly endpoint: Endpoint;
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Finds the endpoint of a request; undefined for OPTIONS. Throws if there is none, but not for a preflight request: browsers send the
 * request itself only after a successful one, and its page could not see the problem otherwise. Sets the Allow header for OPTIONS and for a
 * method that the path does not support.
 */
export function findEndpoint(
  api: RestApi,
  { request, path }: Exchange,
  headers: Record<string, string>,
  cors: Pick<Cors, "isPreflight">,
): FoundEndpoint | undefined {
  const match = api.match(request.method ?? "", path);
  if (match.kind !== "method-not-allowed" && cors.isPreflight(request)) return undefined;
  switch (match.kind) {
    case "found":
      return { endpoint: match.target, variables: match.variables };
    case "method-not-allowed":
      headers["allow"] = match.allow.join(", ");
      if (request.method === "OPTIONS") return undefined;
      throw methodNotAllowed(request.method ?? "");
    case "malformed":
      throw invalid([{ field: "path", message: "is not valid percent-encoded UTF-8" }]);
    case "not-found":
      throw endpointNotFound();
  }
}

/** Refuses a removed endpoint, whatever its query and body. Links to the replacements whose paths can be completed. */
export function refuseRemovedEndpoint({ endpoint, variables }: FoundEndpoint, headers: Record<string, string>): void {
  const { route } = endpoint;
  if (route.removed === undefined) return;
  const byRestName = new Map(
    route.method.input.fields.map((field) => [field.jsonName, variables.get(field.name)] as const),
  );
  const links = route.removed.replacements.flatMap(
    (template) => expandTemplate(parseTemplate(template), (name) => byRestName.get(name)) ?? [],
  );
  if (links.length > 0) headers["link"] = links.map((link) => `<${link}>; rel="successor-version"`).join(", ");
  refuseRemoved(route.method);
}
