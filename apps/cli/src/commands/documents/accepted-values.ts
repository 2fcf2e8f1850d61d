import { calls, parseJsonBody, type ImportAcceptedValuesResponse } from "@switchyard/client";
import { table } from "@switchyard/terminal";
import { collectDocuments } from "../../documents/documents.ts";
import { loadDocument } from "../../documents/file-bytes.ts";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { exitCodes, UsageError } from "../../terminal/exit-codes.ts";
import { ids, projectIdOption } from "../ids.ts";
import { acceptedSummary, acceptedView } from "./accepted-view.ts";

const model = {
  name: "deployment-id",
  value: "ID",
  description: "the model that the values belong to",
  required: true,
} as const;

/** The commands for accepted values. */
export const acceptedValuesCommands: readonly Command[] = [
  operation({
    noun: "accepted-values",
    verb: "get",
    summary: "Show the accepted values of a file",
    call: "getAcceptedValues",
    arguments: [ids.file],
    options: [model],
    view: acceptedView,
  }),
  operation({
    noun: "accepted-values",
    verb: "set",
    summary: "Set the accepted values of a file, which replace the previous ones",
    call: "setAcceptedValues",
    arguments: [ids.file],
    options: [
      model,
      {
        name: "tables",
        value: "JSON",
        as: "json",
        description: "the tables with their rows and values, as JSON, @FILE or - for standard input",
        required: true,
      },
    ],
    examples: [
      `switchyard accepted-values set fil_01 --deployment-id mdl_01 --tables '[{"slug": "receipt", "rows": [{"values": {"total": 12.5}}]}]'`,
    ],
    view: acceptedSummary,
  }),
  operation({
    noun: "accepted-values",
    verb: "delete",
    summary: "Delete the accepted values of a file, and what was learned from them",
    call: "deleteAcceptedValues",
    arguments: [ids.file],
    options: [model],
    done: (input) =>
      `The file ${input.argument("fileId")} is no longer accepted for ${input.required("deployment-id")}.`,
  }),
  {
    noun: "accepted-values",
    verb: "import",
    summary: "Set the accepted values of many files of a project, from JSON lines or CSV",
    details:
      "Valid values are set even if others are invalid; then the faults are listed, and the exit code is 1. See docs/accepted-values.md for the formats.",
    calls: ["importAcceptedValues"],
    arguments: [{ name: "path", description: "the file to import, or - for standard input", choices: "path" }],
    options: [
      projectIdOption,
      { name: "deployment-id", value: "ID", description: "the model of all lines that do not name one" },
      {
        name: "filename",
        value: "NAME",
        description: "the name of the file on standard input (default: accepted.jsonl)",
      },
    ],
    async run(context, input) {
      const { io } = context;
      const [source, ...others] = await collectDocuments([input.argument("path")], io.folder);
      if (source === undefined || others.length > 0) throw new UsageError("import takes a single file");
      const stdinName = input.text("filename") ?? "accepted.jsonl";
      const { filename, bytes } = await loadDocument(source, io, stdinName, calls.importAcceptedValues.maxFileBytes);
      const request = {
        projectId: input.required("project-id"),
        deploymentId: input.text("deployment-id"),
        file: { filename, data: bytes },
      };
      const response = await (await context.client()).exchange("importAcceptedValues", request, { signal: io.signal });
      const { accepted, rejected, faults } = parseJsonBody(response) as ImportAcceptedValuesResponse;
      if (context.json) context.body(response);
      else
        context.show([
          table(
            [{ title: "line", right: true }, { title: "field" }, { title: "message", content: "text" }],
            faults.map(({ line, field, message }) => [line, field, message]),
          ),
        ]);
      context.note(`${accepted} files are accepted, ${rejected} are rejected.`);
      return rejected > 0 ? exitCodes.error : exitCodes.done;
    },
  },
];
