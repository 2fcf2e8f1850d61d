import { calls, parseJsonBody, type File } from "@switchyard/client";
import pc from "picocolors";
import type { Input } from "../../parsing/input.ts";
import type { Context } from "../../context.ts";
import { chooseDocuments } from "../../documents/document-choice.ts";
import { collectDocuments } from "../../documents/documents.ts";
import { affectsAllDocuments } from "../../documents/failures.ts";
import { errorText } from "../../terminal/error-text.ts";
import { getExitCode, exitCodes } from "../../terminal/exit-codes.ts";
import { loadDocument } from "../../documents/file-bytes.ts";
import { supportsColor } from "../../terminal/io.ts";
import { table } from "@switchyard/terminal";
import { fileColumns, fileRow } from "./file-view.ts";

/**
 * Executes `files upload`. Resolves with the exit code. The failure of a single file does not stop the upload; an unavailable server or an
 * insufficient token does.
 */
export async function uploadFiles(context: Context, input: Input): Promise<number> {
  const { io } = context;
  const projectId = input.required("project-id");
  const documents = await chooseDocuments(context, input, await collectDocuments(input.rest("path"), io.folder));
  const client = await context.client();
  const codes = new Set<number>();
  let header = true;
  for (const [index, document] of documents.entries()) {
    try {
      const { maxFileBytes } = calls.uploadFile;
      const { filename, bytes } = await loadDocument(document, io, input.text("filename") ?? "document", maxFileBytes);
      const file = { filename, data: bytes };
      const response = await client.exchange("uploadFile", { projectId, file }, { signal: io.signal });
      const uploaded = parseJsonBody(response) as File;
      if (context.json) context.body(response, documents.length > 1 ? "several" : undefined);
      else context.show([table(fileColumns, [fileRow(uploaded)])], header);
      header = false;
    } catch (error) {
      if (io.signal.aborted) throw error;
      codes.add(getExitCode(error));
      const { red } = pc.createColors(supportsColor(io.stderr, io.environment));
      io.stderr.write(errorText(error, red, document.label));
      if (!affectsAllDocuments(error)) continue;
      const { length } = documents.slice(index + 1);
      if (length > 0) context.note(`${length} more ${length === 1 ? "file was" : "files were"} not sent.`);
      return getExitCode(error);
    }
  }
  const [only = exitCodes.done] = codes;
  return codes.size > 1 ? exitCodes.error : only;
}
