import type { RouteDetail } from "@switchyard/client";
import { fields, table, type Column, type View } from "@switchyard/terminal";

const routeColumns: readonly Column[] = [
  { title: "id", content: "id" },
  { title: "name", content: "text" },
  { title: "model", content: "reference" },
  { title: "model name", content: "text" },
  { title: "deployment", content: "reference" },
  { title: "deployment name", content: "text" },
  { title: "project", content: "text" },
  { title: "status" },
];

type AnyRoute = Omit<RouteDetail, "examples" | "minConfidence" | "enabled"> & { readonly enabled?: boolean };

function routeRow({ id, name, deploymentId, deployment, targetDeploymentId, targetDeployment, enabled }: AnyRoute) {
  const status = enabled === false ? "DISABLED" : (targetDeployment?.status ?? "-");
  const project = deployment?.project?.name;
  return [id, name, deploymentId, deployment?.name, targetDeploymentId, targetDeployment?.name, project, status];
}

/** Formats routes as a table. */
export function routeView(routes: readonly AnyRoute[]): View {
  return [table(routeColumns, routes.map(routeRow))];
}

/** Formats routes as a table, with how many classifications each has won, by its ID. */
export function routeWinsView(routes: readonly AnyRoute[], wins: ReadonlyMap<string, number>): View {
  const columns: readonly Column[] = [...routeColumns, { title: "won", right: true }];
  return [
    table(
      columns,
      routes.map((route) => [...routeRow(route), wins.get(route.id) ?? 0]),
    ),
  ];
}

/** Formats one route with its settings. */
export function routeDetailView(route: RouteDetail): View {
  return [
    fields(
      ["id", route.id],
      ["name", route.name],
      ["description", route.description],
      ["model", `${route.deployment?.name ?? "-"} (${route.deploymentId})`],
      [
        "deployment",
        route.targetDeployment === null ? null : `${route.targetDeployment.name} (${route.targetDeployment.id})`,
      ],
      ["project", route.deployment?.project?.name],
      ["status", routeRow(route).at(-1)],
      ["minimum confidence", route.minConfidence],
      ...route.examples.map((example) => ["example", example] as const),
    ),
  ];
}
