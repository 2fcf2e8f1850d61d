import type { Project } from "@switchyard/client";
import { table, type View } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids, nameOption } from "../ids.ts";

function projectView(projects: readonly Project[]): View {
  return [
    table(
      [
        { title: "id", content: "id" },
        { title: "name", content: "text" },
        { title: "created", content: "time" },
      ],
      projects.map(({ id, name, createdAt }) => [id, name, createdAt]),
    ),
  ];
}

/** The commands for projects. */
export const projectCommands: readonly Command[] = [
  operation({
    noun: "projects",
    verb: "list",
    summary: "List the projects that the token has access to",
    call: "listProjects",
    view: ({ data }) => projectView(data),
  }),
  operation({
    noun: "projects",
    verb: "create",
    summary: "Create a project, and grant it to teams",
    call: "createProject",
    options: [
      nameOption("project", "required"),
      {
        name: "team-id",
        member: "teamIds",
        value: "ID",
        description: "a team that gets access to the project; by default, the teams of the token",
        repeats: true,
      },
    ],
    view: (project) => projectView([project]),
  }),
  operation({
    noun: "projects",
    verb: "get",
    summary: "Show a project",
    call: "getProject",
    arguments: [ids.project],
    view: (project) => projectView([project]),
  }),
  operation({
    noun: "projects",
    verb: "update",
    summary: "Rename a project",
    call: "updateProject",
    arguments: [ids.project],
    options: [nameOption("project", "required")],
    view: (project) => projectView([project]),
  }),
  operation({
    noun: "projects",
    verb: "delete",
    summary: "Delete a project with its classifiers, models, files, extractions and benchmark runs",
    details: "Routes of global classifiers into the project are removed. The command does not ask first.",
    call: "deleteProject",
    arguments: [ids.project],
    done: (input) => `The project ${input.argument("projectId")} is deleted.`,
  }),
];
