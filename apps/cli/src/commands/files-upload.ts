import { calls, type File } from "@switchyard/client";
import pc from "picocolors";
import type { Command } from "../command.ts";
import { collectDocuments } from "../documents.ts";
import { errorText } from "../error-text.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { loadDocument } from "../file-bytes.ts";
import { takesColor } from "../io.ts";
import { table } from "../view.ts";
import { fileColumns, fileRow } from "./file-view.ts";

/** Uploads files, one after the other; one that fails does not stop the others. */
export const uploadCommand: Command = {
  noun: "files",
  verb: "upload",
  summary: "Upload files to a project",
  details: "Takes files, folders with all below them, patterns, and - for a file on standard input.",
  arguments: [{ name: "path", describes: "files, folders, patterns, or -", rest: "some", choices: "path" }],
  options: [
    { name: "project-id", value: "ID", describes: "the project", required: true },
    { name: "filename", value: "NAME", describes: "the name of the file on standard input (document)" },
  ],
  async run(context, input) {
    const { io } = context;
    const projectId = input.required("project-id");
    const documents = await collectDocuments(input.rest("path"), io.folder);
    const client = await context.client();
    const codes = new Set<number>();
    let header = true;
    for (const document of documents) {
      try {
        const { maxFileBytes } = calls.uploadFile;
        const { filename, bytes } = await loadDocument(
          document,
          io,
          input.text("filename") ?? "document",
          maxFileBytes,
        );
        const file = { filename, data: bytes };
        const answer = await client.exchange("uploadFile", { projectId, file }, { signal: io.signal });
        if (context.json) context.body(answer, documents.length > 1 ? "several" : undefined);
        else context.show([table(fileColumns, [fileRow(JSON.parse(answer.text()) as File)])], header);
        header = false;
      } catch (error) {
        if (io.signal.aborted) throw error;
        codes.add(exitCodeOf(error));
        const { red } = pc.createColors(takesColor(io.stderr, io.environment));
        io.stderr.write(errorText(error, red, document.label));
      }
    }
    const [only = exitCodes.done] = codes;
    return codes.size > 1 ? exitCodes.error : only;
  },
};
