import type { Classifier, ClassifierDetail, SecondOpinionSettings } from "@switchyard/client";
import { fields, table, type Column, type View } from "@switchyard/terminal";
import { nameEngine } from "./record-view.ts";
import { routeWinsView } from "./route-view.ts";

const classifierColumns: readonly Column[] = [
  { title: "id", content: "id" },
  { title: "name", content: "text" },
  { title: "scope" },
  { title: "routes", right: true },
  { title: "projects", content: "text" },
  { title: "classifications", right: true },
];

/** Formats a classifier as a row of the list. */
function classifierRow(classifier: Omit<Classifier, "createdAt" | "updatedAt">) {
  const { id, name, isGlobal, deploymentRoutes, routeProjects, classificationCount } = classifier;
  const projects = routeProjects.map((project) => project.name).join(", ");
  return [id, name, isGlobal ? "GLOBAL" : "PROJECT", deploymentRoutes.length, projects, classificationCount];
}

/** Formats classifiers as a table. */
export function classifierView(classifiers: readonly Classifier[]): View {
  return [table(classifierColumns, classifiers.map(classifierRow))];
}

function nameOpinion({ engine, modelName }: SecondOpinionSettings): string {
  return nameEngine(engine, modelName);
}

/** Formats one classifier with its routes and settings. */
export function classifierDetailView(classifier: ClassifierDetail): View {
  const { settings, excludedRoutes, routeWins } = classifier;
  const [id, name, scope, routes, projects, classifications] = classifierRow(classifier);
  return [
    fields(
      ["id", id],
      ["name", name],
      ["description", classifier.description],
      ["scope", scope],
      ["projects", projects],
      ["routes", routes],
      ["candidates", classifier.candidateRoutes],
      ["classifications", classifications],
      ["engine", settings && nameEngine(settings.engine, settings.modelName)],
      ["second opinion", settings?.secondOpinion && nameOpinion(settings.secondOpinion)],
      ["minimum confidence", settings?.minConfidence],
      ["minimum margin", settings?.minMargin],
      ["created", classifier.createdAt],
      ["updated", classifier.updatedAt],
    ),
    ...routeWinsView(
      classifier.deploymentRoutes.map((route) => ({
        ...route,
        enabled: !excludedRoutes.some(({ routeId, reason }) => routeId === route.id && reason === "ROUTE_DISABLED"),
      })),
      new Map(routeWins.map(({ routeId, count }) => [routeId, count])),
    ),
  ];
}
