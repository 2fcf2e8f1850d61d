import type { Model, ModelOrDeployment } from "@switchyard/client";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "../parsing/command.ts";
import { UsageError } from "../terminal/exit-codes.ts";
import { fields, table, type Table, type View } from "@switchyard/terminal";

const deploymentId = {
  name: "deploymentId",
  description: "the ID of a model, a deployment or an extraction schema",
} as const;

function targetView({ id, name, type, status, extractionSchemaId }: ModelOrDeployment): View {
  return [
    table(
      [
        { title: "id", content: "id" },
        { title: "name", content: "text" },
        { title: "type" },
        { title: "status" },
        { title: "schema", content: "reference" },
      ],
      [[id, name, type, status, extractionSchemaId]],
    ),
  ];
}

function modelTable(models: readonly Model[]): Table {
  return table(
    [
      { title: "id", content: "id" },
      { title: "name", content: "text" },
      { title: "type" },
      { title: "status" },
      { title: "schema", content: "reference" },
      { title: "tables", right: true },
    ],
    models.flatMap((model) => [
      [model.id, model.name, model.type, model.status, model.extractionSchemaId, model.tableCount],
      ...model.deployments.map(({ id, name, status, extractionSchemaId }) => [
        id,
        name,
        "PRODUCTION",
        status,
        extractionSchemaId,
        null,
      ]),
    ]),
  );
}

async function readConfiguration(path: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UsageError(`${path} is not a JSON object`);
}

/** The commands for models, which the API calls deployments, and for their deployments. */
export const deploymentCommands: readonly Command[] = [
  {
    noun: "deployments",
    verb: "list",
    summary: "List the models of a project, each with its deployments",
    details: "The type is MODEL for a model and PRODUCTION for a deployment of the model above it.",
    options: [
      { name: "project-id", value: "ID", description: "the project", required: true },
      {
        name: "status",
        value: "STATUS",
        description: "only list models with this status",
        choices: ["ACTIVE", "PAUSED"],
      },
    ],
    run: (context, input) => {
      const status = input.text("status") as "ACTIVE" | "PAUSED" | undefined;
      return context.call("listModels", { projectId: input.required("project-id"), status }, ({ data }) => [
        modelTable(data),
      ]);
    },
  },
  {
    noun: "deployments",
    verb: "create",
    summary: "Create a model in a project",
    details:
      "The configuration is a JSON file in the format of the API, with instructions, tables, columns and extractionSettings. Without a configuration, the model has no extraction schema.",
    options: [
      { name: "project-id", value: "ID", description: "the project", required: true },
      { name: "name", value: "TEXT", description: "the model's name", required: true },
      { name: "configuration", value: "FILE", description: "a JSON file with the tables and columns to extract" },
    ],
    run: async (context, input) => {
      const file = input.text("configuration");
      const configuration = file === undefined ? {} : await readConfiguration(resolve(context.io.folder, file));
      const request = { ...configuration, projectId: input.required("project-id"), name: input.required("name") };
      await context.call("createModel", request, (model) => [modelTable([model])]);
    },
  },
  {
    noun: "deployments",
    verb: "config",
    summary: "Show the current configuration of a model, or the one that a deployment serves",
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
              { title: "name", content: "text" },
              { title: "type" },
              { title: "shared id" },
              { title: "excluded" },
              { title: "description", content: "text" },
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
    summary: "Pause a model or a deployment, so that routes to it accept no documents",
    arguments: [deploymentId],
    run: (context, input) => context.call("pause", { deploymentId: input.argument("deploymentId") }, targetView),
  },
  {
    noun: "deployments",
    verb: "resume",
    summary: "Resume a paused model or deployment",
    arguments: [deploymentId],
    run: (context, input) => context.call("resume", { deploymentId: input.argument("deploymentId") }, targetView),
  },
];
