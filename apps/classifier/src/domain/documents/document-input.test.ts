import { create } from "@bufbuild/protobuf";
import { ClassifyRequestSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { InlineDocumentSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { toDocumentInput, maxContentBytes } from "./document-input.ts";

const documentIn = (request: Request) => toDocumentInput(create(ClassifyRequestSchema, request));
type Request = MessageInitShape<typeof ClassifyRequestSchema>;
const text = (value: string): Request => ({ document: { case: "text", value } });
const content = (value: MessageInitShape<typeof InlineDocumentSchema>): Request => ({
  document: { case: "content", value },
});
const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(65);

describe("toDocumentInput", () => {
  it("takes a text as the file text.txt, in UTF-8", () => {
    expect(documentIn(text("Grüße"))).toEqual({
      kind: "inline",
      filename: "text.txt",
      contentType: "text/plain; charset=utf-8",
      data: new TextEncoder().encode("Grüße"),
    });
  });

  it("takes a file by its id, or as it comes", () => {
    expect(documentIn({ document: { case: "fileId", value: "fil_1" } })).toEqual({ kind: "file", fileId: "fil_1" });
    expect(documentIn(content({ filename: " a.pdf ", contentType: "application/pdf", data: bytes(3) }))).toMatchObject({
      kind: "inline",
      filename: "a.pdf",
    });
  });

  it.each([
    ["none", {}, "fileId"],
    ["an empty id", { document: { case: "fileId", value: "" } }, "fileId"],
    ["a file without a name", content({ filename: " ", data: bytes(1) }), "content.filename"],
    ["a long externalId", { ...text("a"), externalId: "x".repeat(201) }, "externalId"],
  ] as [string, Request, string][])("refuses %s", (_, request, field) => {
    expect(documentIn(request)).toMatchObject({ kind: "invalid", reason: "INVALID_REQUEST", faults: [{ field }] });
  });

  it("refuses what has no bytes, by another reason", () => {
    expect(documentIn(text(""))).toMatchObject({
      kind: "invalid",
      reason: "EMPTY_FILE",
      faults: [{ field: "text" }],
    });
    expect(documentIn(content({ filename: "a" }))).toMatchObject({ kind: "invalid", reason: "EMPTY_FILE" });
  });

  it("measures texts in bytes, not in characters", () => {
    expect(documentIn(text("a".repeat(maxContentBytes.text))).kind).toBe("inline");
    expect(documentIn(text("ä".repeat(maxContentBytes.text / 2 + 1)))).toMatchObject({
      kind: "too-large",
      field: "text",
    });
    expect(documentIn(content({ filename: "a", data: bytes(maxContentBytes.file + 1) }))).toMatchObject({
      kind: "too-large",
      field: "content.data",
      limit: maxContentBytes.file,
    });
  });
});
