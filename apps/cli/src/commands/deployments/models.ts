import { table } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids, nameOption, projectIdOption } from "../ids.ts";
import { configurationOf } from "./configuration-file.ts";
import { modelView, targetView } from "./target-view.ts";

const modelOrDeployment = { name: "deploymentId", description: "the ID of a model or a deployment" } as const;
const schema = { name: "extraction-schema-id", value: "ID" } as const;

/** The commands for models, which the API calls deployments, and for their deployments. */
export const modelCommands: readonly Command[] = [
  operation({
    noun: "deployments",
    verb: "list",
    summary: "List the models of a project, each with its deployments",
    details: "The type is MODEL for a model and PRODUCTION for a deployment of the model above it.",
    call: "listModels",
    options: [
      projectIdOption,
      {
        name: "status",
        value: "STATUS",
        description: "only list models with this status",
        choices: ["ACTIVE", "PAUSED"],
      },
    ],
    view: ({ data }) => modelView(data),
  }),
  {
    noun: "deployments",
    verb: "create",
    summary: "Create a model in a project",
    details:
      "The configuration is a JSON file in the format of the API, with instructions, tables, columns and extractionSettings, or what `deployments config --output json` prints of another model. Without a configuration, the model has no extraction schema.",
    calls: ["createModel"],
    options: [
      projectIdOption,
      { name: "name", value: "TEXT", description: "the model's name", required: true },
      {
        name: "configuration",
        value: "FILE",
        description: "a JSON file with the tables and columns to extract, or - for standard input",
      },
    ],
    run: async (context, input) => {
      const configuration = await configurationOf(context, input);
      const request = { ...configuration, projectId: input.required("project-id"), name: input.required("name") };
      await context.call("createModel", request, (model) => modelView([model]));
    },
  },
  operation({
    noun: "deployments",
    verb: "deploy",
    summary: "Create a deployment of a model, which serves one version of its configuration",
    call: "createDeployment",
    arguments: [ids.target],
    options: [
      nameOption("deployment", "required"),
      { ...schema, description: "the version to serve; by default, the current one" },
    ],
    view: targetView,
  }),
  operation({
    noun: "deployments",
    verb: "update",
    summary: "Rename a model or a deployment",
    call: "updateModelOrDeployment",
    arguments: [modelOrDeployment],
    options: [nameOption("model or deployment", "required")],
    view: targetView,
  }),
  operation({
    noun: "deployments",
    verb: "promote",
    summary: "Let a deployment serve another version of its model's configuration",
    details: "Promoting to an older version rolls the deployment back. `deployments versions` lists the versions.",
    call: "updateModelOrDeployment",
    arguments: [{ name: "deploymentId", description: "the ID of a deployment" }],
    options: [{ ...schema, description: "the version to serve", required: true }],
    view: targetView,
  }),
  operation({
    noun: "deployments",
    verb: "pause",
    summary: "Pause a model or a deployment, so that routes to it accept no documents",
    call: "pause",
    arguments: [ids.target],
    view: targetView,
  }),
  operation({
    noun: "deployments",
    verb: "resume",
    summary: "Resume a paused model or deployment",
    call: "resume",
    arguments: [ids.target],
    view: targetView,
  }),
  operation({
    noun: "deployments",
    verb: "delete",
    summary: "Delete a model or a deployment",
    details:
      "A model that has deployments is not deleted. Routes to it stay, and accept no documents; `deployments routes` lists them. The command does not ask first.",
    call: "deleteModelOrDeployment",
    arguments: [modelOrDeployment],
    done: (input) => `${input.argument("deploymentId")} is deleted.`,
  }),
  operation({
    noun: "deployments",
    verb: "routes",
    summary: "List the routes that pausing or deleting a model or deployment would affect",
    call: "listTargetRoutes",
    arguments: [ids.target],
    view: ({ data }) => [
      table(
        [
          { title: "classifier", content: "id" },
          { title: "classifier name", content: "text" },
          { title: "scope" },
          { title: "route", content: "reference" },
          { title: "route name", content: "text" },
          { title: "candidates left", right: true },
        ],
        data.map(({ classifier, routeId, routeName, candidatesLeft }) => [
          classifier?.id,
          classifier?.name,
          classifier?.isGlobal === true ? "GLOBAL" : "PROJECT",
          routeId,
          routeName,
          candidatesLeft,
        ]),
      ),
    ],
  }),
];
