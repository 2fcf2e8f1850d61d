import { create } from "@bufbuild/protobuf";
import { ReadDocumentResponseSchema } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { ClassificationSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { WarningCode, WarningSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { addDuplicateWarning, getWarnings } from "./warnings.ts";

const settings = { engine: "local", minConfidence: null, minMargin: null };
const code = WarningCode.PAGES_LEFT_OUT;

function read(pageCount: number, message?: string) {
  const warnings = message === undefined ? [] : [{ code, message }];
  return create(ReadDocumentResponseSchema, { file: { pageCount, warnings } });
}

describe("the warnings of a classification", () => {
  it("are empty for a document that was read completely", () => {
    expect(getWarnings(read(3), { ...settings, pages: null }, null)).toEqual([]);
    expect(getWarnings(read(3), { ...settings, pages: 3 }, null)).toEqual([]);
  });

  it("report what the reader and the classifier leave out", () => {
    const leftOut = "Only the first 200 pages were read.";
    expect(getWarnings(read(200, leftOut), { ...settings, pages: 1 }, null)).toMatchObject([
      { code, message: leftOut },
      { code, message: "Only the first page was used, according to the settings of the classifier." },
    ]);
    expect(getWarnings(read(200), { ...settings, pages: 2 }, null)).toMatchObject([
      { code, message: "Only the first 2 pages were used, according to the settings of the classifier." },
    ]);
  });

  it("say that a file is a duplicate only in the project where it is one", () => {
    const warnings = [{ code: WarningCode.DUPLICATE_FILE, message: "The project already had the bytes." }];
    const file = create(ReadDocumentResponseSchema, { file: { pageCount: 1, projectId: "prj_1", warnings } });
    expect(getWarnings(file, { ...settings, pages: null }, "prj_1")).toMatchObject(warnings);
    expect(getWarnings(file, { ...settings, pages: null }, "prj_2")).toEqual([]);
  });

  it("get the one of a duplicate once, and no others, when the file is placed", () => {
    const ofFile = [WarningCode.PAGES_LEFT_OUT, WarningCode.DUPLICATE_FILE].map((each) =>
      create(WarningSchema, { code: each, message: "A warning." }),
    );
    const record = create(ClassificationSchema);
    addDuplicateWarning(record, []);
    expect(record.warnings).toEqual([]);
    for (let repetition = 0; repetition < 2; repetition += 1) addDuplicateWarning(record, ofFile);
    expect(record.warnings).toEqual(ofFile.slice(1));
  });
});
