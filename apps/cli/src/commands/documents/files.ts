import { fields, printable, table } from "@switchyard/terminal";
import { parseJsonBody, type FileText } from "@switchyard/client";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { UsageError } from "../../terminal/exit-codes.ts";
import { outputFileOption } from "../api.ts";
import { ids, projectIdOption } from "../ids.ts";
import { fileColumns, fileRow } from "./file-view.ts";
import { uploadCommand } from "./files-upload.ts";
import { warningFields } from "./warning-fields.ts";

/** The commands for files. */
export const fileCommands: readonly Command[] = [
  uploadCommand,
  operation({
    noun: "files",
    verb: "list",
    summary: "List the files of a project, newest first",
    call: "listFiles",
    options: [
      projectIdOption,
      { name: "accepted", description: "only list files that are accepted" },
      { name: "not-accepted", member: "accepted", to: false, description: "only list files that are not accepted" },
      {
        name: "deployment-id",
        value: "ID",
        description: "the model that files are accepted for; by default, any model",
      },
    ],
    view: ({ data }) => [table(fileColumns, data.map(fileRow))],
  }),
  operation({
    noun: "files",
    verb: "get",
    summary: "Show a file",
    call: "getFile",
    arguments: [ids.file],
    view: (file) => [
      fields(
        ["id", file.id],
        ["project", file.projectId],
        ["filename", file.filename],
        ["type", file.contentType],
        ["size", file.size],
        ["sha256", file.sha256],
        ["pages", file.pageCount],
        ["status", file.status],
        ["reason", file.reason === null ? null : `${file.reason.code}: ${file.reason.message}`],
        ["accepted", file.accepted ? "yes" : "no"],
        ["created", file.createdAt],
        ["created by", file.createdBy],
        ...warningFields(file),
      ),
    ],
  }),
  {
    noun: "files",
    verb: "download",
    summary: "Download the content of a file",
    details: "Without --output-file, the bytes are written to standard output. A terminal only shows text.",
    calls: ["getFileContent"],
    arguments: [ids.file],
    options: [outputFileOption],
    examples: ["switchyard files download fil_01 --output-file letter.pdf"],
    async run(context, input) {
      const { deliverBody } = await import("../../transfer/response-body.ts");
      const request = { fileId: input.argument("fileId") };
      const response = await (
        await context.client()
      ).openCall("getFileContent", request, { signal: context.io.signal });
      await deliverBody(context, response, input.text("output-file"));
    },
  },
  {
    noun: "files",
    verb: "text",
    summary: "Print the text that was read from a file",
    details: "A form feed follows each page; on a terminal, a line with its number precedes it.",
    calls: ["getFileText"],
    arguments: [ids.file],
    async run(context, input) {
      const { stdout, signal } = context.io;
      const request = { fileId: input.argument("fileId") };
      const response = await (await context.client()).exchange("getFileText", request, { signal });
      const { pages } = parseJsonBody(response) as FileText;
      if (context.json) return context.body(response);
      for (const { number, text, source, attachment } of pages) {
        const origin = [source, attachment].filter((part) => part !== null).join(", ");
        if (stdout.isTerminal) context.note(`Page ${number} (${origin})`);
        stdout.write(stdout.isTerminal ? `${text.split("\n").map(printable).join("\n")}\n` : `${text}\n\f`);
      }
    },
  },
  {
    noun: "files",
    verb: "image",
    summary: "Download a picture of a page as a PNG",
    details:
      "Pages of PDF files and pictures can be downloaded. They are rotated as they were when their text was read.",
    calls: ["getPageImage"],
    arguments: [ids.file, { name: "number", description: "the number of the page, starting from 1" }],
    options: [
      {
        name: "width",
        value: "PIXELS",
        description: "the width of the picture (default: 1000)",
        between: [16, 4000],
      },
      outputFileOption,
    ],
    examples: ["switchyard files image fil_01 1 --output-file page.png"],
    async run(context, input) {
      const page = input.argument("number");
      if (!/^\d{1,9}$/.test(page)) throw new UsageError(`the number of a page is a whole number, not "${page}"`);
      const { deliverBody } = await import("../../transfer/response-body.ts");
      const width = input.integer("width");
      const request = {
        fileId: input.argument("fileId"),
        number: Number(page),
        ...(width !== undefined && { width }),
      };
      const response = await (await context.client()).openCall("getPageImage", request, { signal: context.io.signal });
      await deliverBody(context, response, input.text("output-file"));
    },
  },
  operation({
    noun: "files",
    verb: "delete",
    summary: "Delete a file with its accepted values, and what was learned from it",
    details: "The command does not ask first.",
    call: "deleteFile",
    arguments: [ids.file],
    done: (input) => `The file ${input.argument("fileId")} is deleted.`,
  }),
];
