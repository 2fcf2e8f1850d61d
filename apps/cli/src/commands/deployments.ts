import type { ModelOrDeployment } from "@switchyard/client";
import type { Command } from "../command.ts";
import { fields, table, type View } from "../view.ts";

const deploymentId = {
  name: "deploymentId",
  describes: "the id of a model, a deployment or an extraction schema",
} as const;

function targetView({ id, name, type, status, extractionSchemaId }: ModelOrDeployment): View {
  return [
    table(
      [{ title: "id" }, { title: "name", shrinks: true }, { title: "type" }, { title: "status" }, { title: "schema" }],
      [[id, name, type, status, extractionSchemaId]],
    ),
  ];
}

/** Models, which the API calls deployments, and the deployments of them. */
export const deploymentCommands: readonly Command[] = [
  {
    noun: "deployments",
    verb: "list",
    summary: "List the models of a project, each with its deployments",
    details: "The type is MODEL for a model and PRODUCTION for a deployment of the model above it.",
    options: [
      { name: "project-id", value: "ID", describes: "the project", required: true },
      { name: "status", value: "STATUS", describes: "only models in this status", choices: ["ACTIVE", "PAUSED"] },
    ],
    run: (context, input) => {
      const status = input.text("status") as "ACTIVE" | "PAUSED" | undefined;
      return context.call("listModels", { projectId: input.required("project-id"), status }, ({ data }) => [
        table(
          [
            { title: "id" },
            { title: "name", shrinks: true },
            { title: "type" },
            { title: "status" },
            { title: "schema" },
            { title: "tables", right: true },
          ],
          data.flatMap((model) => [
            [model.id, model.name, model.type, model.status, model.extractionSchemaId, model.tableCount],
            ...model.deployments.map((deployment) => [
              deployment.id,
              deployment.name,
              "PRODUCTION",
              deployment.status,
              deployment.extractionSchemaId,
              null,
            ]),
          ]),
        ),
      ]);
    },
  },
  {
    noun: "deployments",
    verb: "config",
    summary: "Show the configuration of a model: its current one, or the one that a deployment serves",
    arguments: [deploymentId],
    run: (context, input) =>
      context.call("getConfiguration", { deploymentId: input.argument("deploymentId") }, (configuration) => {
        const { deployment, tables, columns, extractionSettings } = configuration;
        const slugs = new Map(tables.map(({ id, slug }) => [id, slug]));
        return [
          fields(
            ["id", deployment?.id],
            ["name", deployment?.name],
            ["type", deployment?.type],
            ["status", deployment?.status],
            ["project", deployment?.projectId],
            ["schema", configuration.extractionSchemaId],
            ["version", configuration.version],
            ["instructions", configuration.instructions],
            ["tables", tables.map(({ slug, isPrimary }) => (isPrimary ? `${slug} (primary)` : slug)).join(", ")],
            ["engine", extractionSettings?.engine],
            ["updated", configuration.updatedAt],
          ),
          table(
            [
              { title: "table" },
              { title: "column" },
              { title: "name", shrinks: true },
              { title: "type" },
              { title: "shared id" },
              { title: "excluded" },
              { title: "description", shrinks: true },
            ],
            columns.map(({ tableId, slug, name, type, sharedId, excludedFromExtraction, description }) => [
              slugs.get(tableId),
              slug,
              name,
              type,
              sharedId,
              excludedFromExtraction ? "yes" : "no",
              description,
            ]),
          ),
        ];
      }),
  },
  {
    noun: "deployments",
    verb: "pause",
    summary: "Pause a model or a deployment: routes to it take no documents",
    arguments: [deploymentId],
    run: (context, input) => context.call("pause", { deploymentId: input.argument("deploymentId") }, targetView),
  },
  {
    noun: "deployments",
    verb: "resume",
    summary: "Resume a model or a deployment",
    arguments: [deploymentId],
    run: (context, input) => context.call("resume", { deploymentId: input.argument("deploymentId") }, targetView),
  },
];
