import { create } from "@bufbuild/protobuf";
import { ClassifyRequestSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { InlineDocumentSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { toDocumentInput, maxContentBytes } from "./document-input.ts";

const parse = (request: Request) => toDocumentInput(create(ClassifyRequestSchema, request));
type Request = MessageInitShape<typeof ClassifyRequestSchema>;
const text = (value: string): Request => ({ document: { case: "text", value } });
const content = (value: MessageInitShape<typeof InlineDocumentSchema>): Request => ({
  document: { case: "content", value },
});
const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(65);

describe("toDocumentInput", () => {
  it("converts text to the file text.txt in UTF-8", () => {
    expect(parse(text("Grüße"))).toEqual({
      kind: "inline",
      filename: "text.txt",
      contentType: "text/plain; charset=utf-8",
      data: new TextEncoder().encode("Grüße"),
    });
  });

  it("accepts the ID of a file, and inline files", () => {
    expect(parse({ document: { case: "fileId", value: "fil_1" } })).toEqual({ kind: "file", fileId: "fil_1" });
    expect(parse(content({ filename: " a.pdf ", contentType: "application/pdf", data: bytes(3) }))).toMatchObject({
      kind: "inline",
      filename: "a.pdf",
    });
  });

  it.each([
    ["no document", {}, "fileId"],
    ["an empty id", { document: { case: "fileId", value: "" } }, "fileId"],
    ["a file without a name", content({ filename: " ", data: bytes(1) }), "content.filename"],
    ["a long externalId", { ...text("a"), externalId: "x".repeat(201) }, "externalId"],
  ] as [string, Request, string][])("rejects %s", (_, request, field) => {
    expect(parse(request)).toMatchObject({ kind: "invalid", reason: "INVALID_REQUEST", violations: [{ field }] });
  });

  it("rejects empty content with another reason", () => {
    expect(parse(text(""))).toMatchObject({
      kind: "invalid",
      reason: "EMPTY_FILE",
      violations: [{ field: "text" }],
    });
    expect(parse(content({ filename: "a" }))).toMatchObject({ kind: "invalid", reason: "EMPTY_FILE" });
  });

  it("limits text by bytes, not by characters", () => {
    expect(parse(text("a".repeat(maxContentBytes.text))).kind).toBe("inline");
    expect(parse(text("ä".repeat(maxContentBytes.text / 2 + 1)))).toMatchObject({
      kind: "too-large",
      field: "text",
    });
    expect(parse(content({ filename: "a", data: bytes(maxContentBytes.file + 1) }))).toMatchObject({
      kind: "too-large",
      field: "content.data",
      limit: maxContentBytes.file,
    });
  });
});
