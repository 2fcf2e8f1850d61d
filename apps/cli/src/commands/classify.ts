import type { Classification, Classifier, RouteDetail } from "@switchyard/client";
import { pageOptions, type Command } from "../parsing/command.ts";
import { UsageError } from "../terminal/exit-codes.ts";
import { fields, table, type Column, type View } from "@switchyard/terminal";
import { classifyRun } from "./classify-run.ts";
import { warningFields } from "./warning-fields.ts";

const classifierId = { name: "classifierId", description: "the classifier's ID" } as const;

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

function classifierView(classifier: Classifier): View {
  return [table(classifierColumns, [classifierRow(classifier)])];
}

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

function routeView(routes: readonly AnyRoute[]): View {
  return [table(routeColumns, routes.map(routeRow))];
}

const recordColumns: readonly Column[] = [
  { title: "id", content: "id" },
  { title: "document", content: "text" },
  { title: "status" },
  { title: "route", content: "text" },
  { title: "confidence", right: true },
  { title: "deployment", content: "text" },
  { title: "reason" },
  { title: "created", content: "time" },
];

function recordRow(record: Classification) {
  const { id, filename, status, routeName, confidence, deploymentName, reason, createdAt } = record;
  return [id, filename, status, routeName, confidence?.toFixed(2), deploymentName, reason?.code, createdAt];
}

function recordView(record: Classification): View {
  return [
    fields(
      ["id", record.id],
      ["document", record.filename],
      ["file", record.fileId],
      ["project", record.projectId],
      ["status", record.status],
      ["reason", record.reason === null ? null : `${record.reason.code}: ${record.reason.message}`],
      ["route", record.routeName],
      ["model", record.deploymentId],
      ["deployment", record.deploymentName],
      ["schema", record.extractionSchemaId],
      ["confidence", record.confidence],
      ["threshold", record.threshold],
      ["extraction", record.extraction?.id],
      ["created", record.createdAt],
      ...warningFields(record),
    ),
    table(
      [{ title: "route", content: "text" }, { title: "score", right: true }, { title: "excluded" }],
      record.scores.map(({ routeName, score, ineligibleReason }) => [routeName, score?.toFixed(4), ineligibleReason]),
    ),
  ];
}

/** The commands for classifiers, their routes and their records. */
export const classifyCommands: readonly Command[] = [
  {
    noun: "classify",
    verb: "list",
    summary: "List the classifiers of a project, including global ones that route into it",
    options: [{ name: "project-id", value: "ID", description: "the project", required: true }, ...pageOptions],
    examples: ["switchyard classify list --project-id prj_01"],
    run: (context, input) =>
      context.list("listClassifiers", { projectId: input.required("project-id") }, input, (classifiers) => [
        table(classifierColumns, classifiers.map(classifierRow)),
      ]),
  },
  {
    noun: "classify",
    verb: "create",
    summary: "Create a classifier in a project",
    details: "A new classifier always belongs to a project. `classify make-global` makes it global.",
    options: [
      { name: "project-id", value: "ID", description: "the owning project", required: true },
      { name: "name", value: "TEXT", description: "the classifier's name", required: true },
      { name: "description", value: "TEXT", description: "a description of the classifier" },
    ],
    run: (context, input) =>
      context.call(
        "createClassifier",
        {
          projectId: input.required("project-id"),
          name: input.required("name"),
          description: input.text("description"),
        },
        classifierView,
      ),
  },
  {
    noun: "classify",
    verb: "get",
    summary: "Show a classifier with its routes and settings",
    arguments: [classifierId],
    run: (context, input) =>
      context.call("getClassifier", { classifierId: input.argument("classifierId") }, (classifier) => {
        const { settings, excludedRoutes } = classifier;
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
            ["engine", settings?.engine],
            ["minimum confidence", settings?.minConfidence],
            ["minimum margin", settings?.minMargin],
            ["created", classifier.createdAt],
            ["updated", classifier.updatedAt],
          ),
          ...routeView(
            classifier.deploymentRoutes.map((route) => ({
              ...route,
              enabled: !excludedRoutes.some(
                ({ routeId, reason }) => routeId === route.id && reason === "ROUTE_DISABLED",
              ),
            })),
          ),
        ];
      }),
  },
  {
    noun: "classify",
    verb: "add-route",
    summary: "Add a route to a model, or to one of its deployments",
    details:
      "A project-scoped classifier routes to models of its own project; a global classifier, to models of any project of the organization that you have access to.",
    arguments: [classifierId],
    options: [
      { name: "deployment-id", value: "ID", description: "the ID of the target model", required: true },
      {
        name: "target-deployment-id",
        value: "ID",
        description: "a deployment of that model; without it, the model itself",
      },
      { name: "name", value: "TEXT", description: "the route's name; without it, the name of the target" },
      { name: "description", value: "TEXT", description: "a description of the documents that belong to the route" },
      { name: "example", value: "TEXT", description: "a short text that belongs to the route", repeats: true },
      { name: "min-confidence", value: "NUMBER", description: "the minimum confidence for this route, from 0 to 1" },
      { name: "disabled", description: "create the route disabled, so that it accepts no documents" },
    ],
    examples: ["switchyard classify add-route clf_01 --deployment-id mdl_01 --name Invoice"],
    run: (context, input) => {
      const confidence = input.text("min-confidence");
      if (confidence !== undefined && !/^\d*\.?\d+$/.test(confidence))
        throw new UsageError(`--min-confidence takes a number from 0 to 1, not "${confidence}"`);
      return context.call(
        "addRoute",
        {
          classifierId: input.argument("classifierId"),
          deploymentId: input.required("deployment-id"),
          targetDeploymentId: input.text("target-deployment-id"),
          name: input.text("name"),
          description: input.text("description"),
          ...(input.list("example").length > 0 ? { examples: input.list("example") } : {}),
          ...(confidence === undefined ? {} : { minConfidence: Number(confidence) }),
          ...(input.on("disabled") ? { enabled: false } : {}),
        },
        (route) => routeView([route]),
      );
    },
  },
  {
    noun: "classify",
    verb: "routes",
    summary: "List the routes of a classifier",
    arguments: [classifierId],
    run: (context, input) =>
      context.call("listRoutes", { classifierId: input.argument("classifierId") }, ({ data }) => routeView(data)),
  },
  {
    noun: "classify",
    verb: "remove-route",
    summary: "Remove a route from a classifier",
    arguments: [classifierId, { name: "routeId", description: "the route's ID" }],
    async run(context, input) {
      const route = { classifierId: input.argument("classifierId"), routeId: input.argument("routeId") };
      await (await context.client()).deleteRoute(route, { signal: context.io.signal });
      context.note(`The route ${route.routeId} is removed.`);
    },
  },
  {
    noun: "classify",
    verb: "make-global",
    summary: "Make a classifier global, so that it can route into every project of the organization",
    details:
      "Its routes are kept. Requires the permission organization:models:edit, and a name that no other classifier of the organization has.",
    arguments: [classifierId],
    run: (context, input) =>
      context.call("makeGlobal", { classifierId: input.argument("classifierId") }, classifierView),
  },
  {
    noun: "classify",
    verb: "make-project-scoped",
    summary: "Make a global classifier project-scoped, if all of its routes target models of one project",
    details: "Requires the permission organization:models:edit.",
    arguments: [classifierId],
    run: (context, input) =>
      context.call("makeProjectScoped", { classifierId: input.argument("classifierId") }, classifierView),
  },
  classifyRun,
  {
    noun: "classify",
    verb: "results",
    summary: "List the classifications of a classifier, newest first, or show one",
    arguments: [
      classifierId,
      { name: "classificationId", description: "show only this classification, with all scores", optional: true },
    ],
    options: [
      {
        name: "status",
        value: "STATUS",
        description: "only list classifications with this status",
        choices: ["CLASSIFIED", "UNCLASSIFIED"],
      },
      { name: "route-id", value: "ID", description: "only list classifications with this route" },
      { name: "external-id", value: "TEXT", description: "only list classifications with this external ID" },
      ...pageOptions,
    ],
    run: (context, input) => {
      const id = input.argument("classifierId");
      const classificationId = input.text("classificationId");
      if (classificationId !== undefined)
        return context.call("getClassification", { classifierId: id, classificationId }, recordView);
      const request = {
        classifierId: id,
        status: input.text("status") as Classification["status"] | undefined,
        routeId: input.text("route-id"),
        externalId: input.text("external-id"),
      };
      return context.list("listClassifications", request, input, ({ data }) => [
        table(recordColumns, data.map(recordRow)),
      ]);
    },
  },
];
