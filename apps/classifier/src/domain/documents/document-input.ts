import type { BatchItem, ClassifyRequest } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { InlineDocument } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { characterCount } from "@switchyard/text";
import type { Violation } from "@switchyard/text";

/** The maximum sizes of inline text and inline files in bytes. */
export const maxContentBytes = { text: 1024 * 1024, file: 25 * 1024 * 1024 };

/** The document of a request, or its faults. */
export type DocumentInput =
  | { kind: "file"; fileId: string }
  | { kind: "inline"; filename: string; contentType: string; data: Uint8Array }
  | { kind: "invalid"; reason: "INVALID_REQUEST" | "EMPTY_FILE"; violations: Violation[] }
  | { kind: "too-large"; field: string; bytes: number; limit: number };

function invalid(
  field: string,
  message: string,
  reason: "INVALID_REQUEST" | "EMPTY_FILE" = "INVALID_REQUEST",
): DocumentInput {
  return { kind: "invalid", reason, violations: [{ field, message }] };
}

/** The fields of a request, or of an element of a batch, that say which document to classify. */
export type DocumentRequest = Pick<ClassifyRequest, "externalId"> & {
  document: ClassifyRequest["document"] | BatchItem["document"];
};

/**
 * Returns the document of a classification request, which is in one of its fields `choices`. Text becomes the file `text.txt`.
 */
export function toDocumentInput(
  { document, externalId }: DocumentRequest,
  choices = "fileId, text and content",
): DocumentInput {
  if (externalId !== undefined && characterCount(externalId) > 200) {
    return invalid("externalId", "must have at most 200 characters");
  }
  switch (document.case) {
    case undefined:
      return invalid("fileId", `exactly one of ${choices} is required; none was given`);
    case "fileId":
      if (document.value === "") return invalid("fileId", "must be the id of a file");
      return { kind: "file", fileId: document.value };
    case "text":
      return inlineText(document.value);
    case "content":
      return inlineFile(document.value);
  }
}

function inlineText(text: string): DocumentInput {
  const data = new TextEncoder().encode(text);
  return inline("text", maxContentBytes.text, "text.txt", "text/plain; charset=utf-8", data);
}

function inlineFile({ filename, contentType, data }: InlineDocument): DocumentInput {
  const name = filename.trim();
  if (name === "") return invalid("content.filename", "is required");
  if (characterCount(name) > 255) return invalid("content.filename", "must have at most 255 characters");
  return inline("content.data", maxContentBytes.file, name, contentType, data);
}

function inline(field: string, limit: number, filename: string, contentType: string, data: Uint8Array): DocumentInput {
  if (data.length === 0) return invalid(field, "must not be empty", "EMPTY_FILE");
  if (data.length > limit) return { kind: "too-large", field, bytes: data.length, limit };
  return { kind: "inline", filename, contentType, data };
}
