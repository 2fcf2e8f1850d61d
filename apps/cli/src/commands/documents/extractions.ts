import type { Extraction } from "@switchyard/client";
import { fields, table, type View } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids, projectIdOption } from "../ids.ts";
import { acceptedSummary } from "./accepted-view.ts";
import { readCorrections } from "./corrections.ts";
import { valueText } from "./value-text.ts";
import { warningFields } from "./warning-fields.ts";

function extractionView(extraction: Extraction): View {
  return [
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
            index,
            column,
            valueText(value),
            confidence[column]?.toFixed(2),
            evidence[column]?.page,
          ]),
        ),
      ),
    ),
  ];
}

/** The commands for extractions. */
export const extractionCommands: readonly Command[] = [
  operation({
    noun: "extractions",
    verb: "list",
    summary: "List the extractions of a project, newest first",
    call: "listExtractions",
    options: [
      projectIdOption,
      { name: "file-id", value: "ID", description: "only list extractions of this file" },
      { name: "deployment-id", value: "ID", description: "only list extractions by this model or deployment" },
      {
        name: "status",
        value: "STATUS",
        description: "only list extractions with this status",
        choices: ["RUNNING", "COMPLETED", "FAILED"],
      },
    ],
    view: ({ data }) => [
      table(
        [
          { title: "id", content: "id" },
          { title: "file", content: "reference" },
          { title: "model", content: "reference" },
          { title: "deployment", content: "reference" },
          { title: "status" },
          { title: "error" },
          { title: "created", content: "time" },
          { title: "completed", content: "time" },
        ],
        data.map(({ id, fileId, deploymentId, targetDeploymentId, status, error, createdAt, completedAt }) => [
          id,
          fileId,
          deploymentId,
          targetDeploymentId,
          status,
          error?.code,
          createdAt,
          completedAt,
        ]),
      ),
    ],
  }),
  operation({
    noun: "extractions",
    verb: "create",
    summary: "Extract a file with a model or a deployment",
    details: "The extraction may still be RUNNING when the command ends; `extractions get` shows it.",
    call: "createExtraction",
    options: [
      { name: "deployment-id", value: "ID", description: ids.target.description, required: true },
      { name: "file-id", value: "ID", description: "a file of the model's project", required: true },
    ],
    view: extractionView,
  }),
  operation({
    noun: "extractions",
    verb: "get",
    summary: "Show an extraction with its values",
    call: "getExtraction",
    arguments: [ids.extraction],
    view: extractionView,
  }),
  {
    noun: "extractions",
    verb: "accept",
    summary: "Accept the values of an extraction as the true values that benchmarks compare with",
    details: "With --set, cells are corrected first. Rows are counted from 0, as `extractions get` shows them.",
    calls: ["acceptExtraction", "getConfiguration", "getExtraction"],
    arguments: [ids.extraction],
    options: [
      {
        name: "set",
        value: "TABLE.ROW.COLUMN=VALUE",
        description: "the right value of a cell; an empty value means that the document has none",
        repeats: true,
      },
    ],
    examples: ["switchyard extractions accept ext_01 --set invoice.0.total=1344 --set line_items.2.description="],
    async run(context, input) {
      const extractionId = input.argument("extractionId");
      const corrections = await readCorrections(context, extractionId, input.list("set"));
      const request = { extractionId, ...(corrections.length > 0 ? { corrections } : {}) };
      await context.call("acceptExtraction", request, acceptedSummary);
    },
  },
];
