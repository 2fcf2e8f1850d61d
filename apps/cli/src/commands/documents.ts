import type { Project } from "@switchyard/client";
import type { Command } from "../parsing/command.ts";
import { pageOptions } from "../parsing/command.ts";
import { fields, table, type Table } from "@switchyard/terminal";
import { uploadCommand } from "./files-upload.ts";
import { fileColumns, fileRow } from "./file-view.ts";
import { warningFields } from "./warning-fields.ts";

function projectTable(projects: readonly Project[]): Table {
  return table(
    [
      { title: "id", content: "id" },
      { title: "name", content: "text" },
      { title: "created", content: "time" },
    ],
    projects.map(({ id, name, createdAt }) => [id, name, createdAt]),
  );
}

/** The commands for projects, files and extractions. */
export const documentCommands: readonly Command[] = [
  {
    noun: "projects",
    verb: "list",
    summary: "List the projects that the token has access to",
    run: (context) => context.call("listProjects", {}, ({ data }) => [projectTable(data)]),
  },
  {
    noun: "projects",
    verb: "create",
    summary: "Create a project, and grant it to the teams of the token",
    options: [{ name: "name", value: "TEXT", description: "the project's name", required: true }],
    run: (context, input) =>
      context.call("createProject", { name: input.required("name") }, (project) => [projectTable([project])]),
  },
  uploadCommand,
  {
    noun: "files",
    verb: "list",
    summary: "List the files of a project, newest first",
    options: [{ name: "project-id", value: "ID", description: "the project", required: true }, ...pageOptions],
    run: (context, input) =>
      context.list("listFiles", { projectId: input.required("project-id") }, input, ({ data }) => [
        table(fileColumns, data.map(fileRow)),
      ]),
  },
  {
    noun: "extractions",
    verb: "get",
    summary: "Show an extraction with its values",
    arguments: [{ name: "extractionId", description: "the extraction's ID" }],
    run: (context, input) =>
      context.call("getExtraction", { extractionId: input.argument("extractionId") }, (extraction) => [
        fields(
          ["id", extraction.id],
          ["file", extraction.fileId],
          ["project", extraction.projectId],
          ["model", extraction.deploymentId],
          ["deployment", extraction.targetDeploymentId],
          ["schema", extraction.extractionSchemaId],
          ["status", extraction.status],
          ["error", extraction.error === null ? null : `${extraction.error.code}: ${extraction.error.message}`],
          ["completed", extraction.completedAt],
          ...warningFields(extraction),
        ),
        table(
          [
            { title: "table" },
            { title: "row", right: true },
            { title: "column" },
            { title: "value", content: "text" },
            { title: "confidence", right: true },
            { title: "page", right: true },
          ],
          extraction.tables.flatMap(({ slug, rows }) =>
            rows.flatMap(({ values, confidence, evidence }, index) =>
              Object.entries(values).map(([column, value]) => [
                slug,
                index + 1,
                column,
                typeof value === "string" ? value : value === null ? null : JSON.stringify(value),
                confidence[column]?.toFixed(2),
                evidence[column]?.page,
              ]),
            ),
          ),
        ),
      ]),
  },
  {
    noun: "extractions",
    verb: "accept",
    summary: "Accept the values of an extraction as the true values that benchmarks compare with",
    arguments: [{ name: "extractionId", description: "the extraction's ID" }],
    run: (context, input) =>
      context.call(
        "acceptExtraction",
        { extractionId: input.argument("extractionId") },
        ({ fileId, deploymentId, tables }) => [
          table(
            [
              { title: "file", content: "reference" },
              { title: "model", content: "reference" },
              { title: "rows", right: true },
            ],
            [[fileId, deploymentId, tables.reduce((sum, { rows }) => sum + rows.length, 0)]],
          ),
        ],
      ),
  },
];
