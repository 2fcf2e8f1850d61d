import type { Api } from "@switchyard/client";
import { table } from "@switchyard/terminal";
import type { Field } from "../../operations/field.ts";
import { readFields } from "../../operations/field.ts";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { outputFileOption } from "../api.ts";
import { ids } from "../ids.ts";
import { valueText } from "./value-text.ts";

const filters: readonly Field[] = [
  { name: "table", value: "SLUG", description: "the table of the values; by default, the primary one" },
  {
    name: "status",
    value: "STATUS",
    description: "only files with this status",
    choices: ["ACCEPTED", "NEEDS_REVIEW", "UNREVIEWED"],
  },
  { name: "from", value: "TIME", description: "only files from this time on" },
  { name: "to", value: "TIME", description: "only files before this time" },
  { name: "search", value: "TEXT", description: "only rows whose filename or text values contain this" },
];

/** The commands for the values of all files of a model. */
export const valuesCommands: readonly Command[] = [
  operation({
    noun: "values",
    verb: "list",
    summary: "List the values of a model's files, newest first",
    details: "Of each file, these are the accepted values, or else those of its last completed extraction.",
    call: "listValues",
    arguments: [ids.target],
    options: filters,
    view: ({ data }) => [
      table(
        [
          { title: "file", content: "id" },
          { title: "filename", content: "text" },
          { title: "row", right: true },
          { title: "accepted" },
          { title: "values", content: "text" },
          { title: "created", content: "time" },
        ],
        data.map(({ fileId, filename, row, accepted, values, createdAt }) => [
          fileId,
          filename,
          row,
          accepted ? "yes" : "no",
          Object.entries(values)
            .map(([slug, value]) => `${slug}: ${valueText(value) ?? "-"}`)
            .join(", "),
          createdAt,
        ]),
      ),
    ],
  }),
  {
    noun: "values",
    verb: "export",
    summary: "Export the values of a model's files as CSV, JSON lines or a spreadsheet",
    calls: ["exportValues"],
    arguments: [ids.target],
    options: [
      {
        name: "format",
        value: "FORMAT",
        description: "the format (default: csv)",
        choices: ["csv", "jsonl", "xlsx"],
      },
      ...filters,
      outputFileOption,
    ],
    examples: ["switchyard values export mdl_01 --format xlsx --output-file values.xlsx"],
    async run(context, input) {
      const { io } = context;
      const { deliverBody } = await import("../../transfer/response-body.ts");
      const request = {
        ...(await readFields(io, input, filters)),
        deploymentId: input.argument("deploymentId"),
        format: input.text("format")?.toUpperCase(),
      } as Api["exportValues"]["request"];
      const response = await (await context.client()).openCall("exportValues", request, { signal: io.signal });
      await deliverBody(context, response, input.text("output-file"));
    },
  },
];
