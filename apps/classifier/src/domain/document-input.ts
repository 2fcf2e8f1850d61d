import type { ClassifyRequest } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { characterCount } from "@switchyard/text";
import type { Fault } from "@switchyard/text";

/** The maximum size of the inline text and of the inline file of a classification, in bytes. */
export const maxContentBytes = { text: 1024 * 1024, file: 25 * 1024 * 1024 };

/** The document of a request, or what is wrong with it. */
export type DocumentInput =
  | { kind: "file"; fileId: string }
  | { kind: "inline"; filename: string; contentType: string; data: Uint8Array }
  | { kind: "invalid"; reason: "INVALID_REQUEST" | "EMPTY_FILE"; faults: Fault[] }
  | { kind: "too-large"; field: string; bytes: number; limit: number };

function invalid(
  field: string,
  message: string,
  reason: "INVALID_REQUEST" | "EMPTY_FILE" = "INVALID_REQUEST",
): DocumentInput {
  return { kind: "invalid", reason, faults: [{ field, message }] };
}

/** Finds the one document of a classification request. A text is the file `text.txt`. */
export function toDocumentInput({ fileId, text, content, externalId }: ClassifyRequest): DocumentInput {
  const given = [fileId, text, content].filter((document) => document !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? "none was given" : `${given.length} were given`;
    return invalid("fileId", `exactly one of fileId, text and content is required; ${found}`);
  }
  if (externalId !== undefined && characterCount(externalId) > 200) {
    return invalid("externalId", "must have at most 200 characters");
  }
  if (fileId !== undefined)
    return fileId === "" ? invalid("fileId", "must be the id of a file") : { kind: "file", fileId };
  if (text !== undefined)
    return inline(
      "text",
      maxContentBytes.text,
      "text.txt",
      "text/plain; charset=utf-8",
      new TextEncoder().encode(text),
    );
  const { filename, contentType, data } = content ?? { filename: "", contentType: "", data: new Uint8Array() };
  if (filename.trim() === "") return invalid("content.filename", "is required");
  if (characterCount(filename.trim()) > 255) return invalid("content.filename", "must have at most 255 characters");
  return inline("content.data", maxContentBytes.file, filename.trim(), contentType, data);
}

function inline(field: string, limit: number, filename: string, contentType: string, data: Uint8Array): DocumentInput {
  if (data.length === 0) return invalid(field, "must not be empty", "EMPTY_FILE");
  if (data.length > limit) return { kind: "too-large", field, bytes: data.length, limit };
  return { kind: "inline", filename, contentType, data };
}
