import { defer } from "../../deferred.tsx";
import type { RouteDiagramProps } from "./route-diagram.tsx";

/** The diagram of the routes. Its code is a fifth of the console's, so the page about a classifier is shown without it. */
export const diagram = defer<RouteDiagramProps>(async () => (await import("./route-diagram.tsx")).RouteDiagram);
