import type { ClassifierDetail, RouteProject } from "@switchyard/client";
import type { RouteFacts } from "./route-facts.ts";

/** A box of the diagram. */
export interface DiagramBox {
  readonly id: string;
  readonly kind: "classifier" | "route" | "target";
  readonly x: number;
  readonly y: number;
  readonly name: string;
  /** For a target that is a deployment, the name of its model. */
  readonly model: string | undefined;
  /** The project that the box leads to; undefined for the classifier. */
  readonly project: RouteProject | undefined;
  /** Why no document passes it. */
  readonly reason: RouteFacts["reason"];
}

/** A line of the diagram. */
export interface DiagramLine {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly projectId: string;
  readonly isOut: boolean;
}

/** The boxes and lines from a classifier over its routes to their targets, and the projects in the order of their first route. */
export interface Diagram {
  readonly boxes: readonly DiagramBox[];
  readonly lines: readonly DiagramLine[];
  readonly projects: readonly RouteProject[];
  readonly height: number;
}

/** The size of a box, in pixels. */
export const boxSize = { width: 230, height: 68 };
const gap = { x: 90, y: 20 };

/** Lays the diagram of a classifier out in three columns, with a row for each route. */
export function layOutDiagram(
  classifier: Pick<ClassifierDetail, "id" | "name">,
  facts: readonly RouteFacts[],
): Diagram {
  const step = { x: boxSize.width + gap.x, y: boxSize.height + gap.y };
  const projects = new Map<string, RouteProject>();
  const boxes: DiagramBox[] = [];
  const lines: DiagramLine[] = [];
  for (const [row, { route, reason }] of facts.entries()) {
    const { deployment, targetDeployment } = route;
    const projectId = deployment?.projectId ?? "";
    const project = deployment?.project ?? { id: projectId, name: projectId };
    projects.set(projectId, project);
    const target = `target ${route.id}`;
    const isDeployment = route.targetDeploymentId !== null;
    const modelName = deployment?.name ?? route.deploymentId;
    const shared = { y: row * step.y, project, reason };
    boxes.push(
      { ...shared, id: route.id, kind: "route", x: step.x, name: route.name, model: undefined },
      {
        ...shared,
        id: target,
        kind: "target",
        x: 2 * step.x,
        name: isDeployment ? (targetDeployment?.name ?? route.targetDeploymentId) : modelName,
        model: isDeployment ? modelName : undefined,
        // A disabled route says nothing about its target.
        reason: reason === "ROUTE_DISABLED" ? undefined : reason,
      },
    );
    const isOut = reason !== undefined;
    lines.push(
      { id: `to ${route.id}`, from: classifier.id, to: route.id, projectId, isOut },
      { id: `from ${route.id}`, from: route.id, to: target, projectId, isOut },
    );
  }
  const height = Math.max(facts.length, 1) * step.y - gap.y;
  const first: DiagramBox = {
    id: classifier.id,
    kind: "classifier",
    x: 0,
    y: (height - boxSize.height) / 2,
    name: classifier.name,
    model: undefined,
    project: undefined,
    reason: undefined,
  };
  return { boxes: [first, ...boxes], lines, projects: [...projects.values()], height };
}

/** The colors of projects; the names are beside them, since colors repeat. */
const colors = ["indigo", "teal", "orange", "grape", "cyan", "pink", "lime", "red"];

/** Returns a CSS color for each project, by ID. */
export function colorProjects(projects: readonly RouteProject[]): ReadonlyMap<string, string> {
  return new Map(
    projects.map(({ id }, position) => [id, `var(--mantine-color-${colors[position % colors.length]}-6)`]),
  );
}
