import { create } from "@bufbuild/protobuf";
import { ReadDocumentResponseSchema } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getWarnings } from "./warnings.ts";

const settings = { engine: "local", minConfidence: null, minMargin: null };
const code = WarningCode.PAGES_LEFT_OUT;

function read(pageCount: number, message?: string) {
  const warnings = message === undefined ? [] : [{ code, message }];
  return create(ReadDocumentResponseSchema, { file: { pageCount, warnings } });
}

describe("the warnings of a classification", () => {
  it("are empty for a document that was read completely", () => {
    expect(getWarnings(read(3), { ...settings, pages: null })).toEqual([]);
    expect(getWarnings(read(3), { ...settings, pages: 3 })).toEqual([]);
  });

  it("report what the reader and the classifier leave out", () => {
    const leftOut = "Only the first 200 pages were read.";
    expect(getWarnings(read(200, leftOut), { ...settings, pages: 1 })).toMatchObject([
      { code, message: leftOut },
      { code, message: "Only the first page was used, according to the settings of the classifier." },
    ]);
    expect(getWarnings(read(200), { ...settings, pages: 2 })).toMatchObject([
      { code, message: "Only the first 2 pages were used, according to the settings of the classifier." },
    ]);
  });
});
