import { create } from "@bufbuild/protobuf";
import { DocumentTextSchema, TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { createLayout } from "./layout.ts";

describe("the rows of a page", () => {
  const lines = [
    { text: "No: 28, JALAN ASTANA 1C,", box: { x: 0.235, y: 0.143, width: 0.472, height: 0.031 } },
    { text: "BANDAR BUKIT RAJA, 41050", box: { x: 0.225, y: 0.152, width: 0.505, height: 0.033 } },
  ];
  const rowsOf = (source: TextSource): string[][] => {
    const text = create(DocumentTextSchema, { pages: [{ number: 1, source, lines }] });
    return createLayout(text).rows.map(({ cells }) => cells.map((cell) => cell.text));
  };

  it("are the lines of a picture, although their boxes overlap on tilted paper", () => {
    expect(rowsOf(TextSource.OCR)).toEqual([["No: 28, JALAN ASTANA 1C,"], ["BANDAR BUKIT RAJA, 41050"]]);
  });

  it("are otherwise the lines that are at the same height", () => {
    expect(rowsOf(TextSource.TEXT)).toEqual([["BANDAR BUKIT RAJA, 41050", "No: 28, JALAN ASTANA 1C,"]]);
  });

  it("may have more cells than a call may have arguments, as in a sheet of digits", () => {
    const row = { text: "1\t".repeat(999) };
    const text = create(DocumentTextSchema, { pages: [{ number: 1, lines: Array.from({ length: 151 }, () => row) }] });
    expect(createLayout(text).cells).toHaveLength(151 * 999);
  });
});
