import { toSeparatedLine } from "../rows/separated-values.ts";
import { separatedRecords } from "./separated-values.ts";

describe("separatedRecords", () => {
  it.each([
    ["a,b\n1,2", [1, ["a", "b"]], [2, ["1", "2"]]],
    ["a;b;c\r\n1,5;2;3\r\n", [1, ["a", "b", "c"]], [2, ["1,5", "2", "3"]]],
    ["a\tb\n1\t", [1, ["a", "b"]], [2, ["1", ""]]],
    ['a,b\n"1\n2","say ""x"""\n3,4', [1, ["a", "b"]], [2, ["1\n2", 'say "x"']], [4, ["3", "4"]]],
    ["a,b\n\n,\n1,2", [1, ["a", "b"]], [4, ["1", "2"]]],
    ['a,b\n5" pipe,2', [1, ["a", "b"]], [2, ['5" pipe', "2"]]],
  ])("reads %j", (text, ...expected) => {
    expect(separatedRecords(text, 10)).toEqual({
      records: expected.map(([line, cells]: any) => ({ line, cells })),
      unclosed: undefined,
    });
  });

  it("reads the texts that were exported", () => {
    const texts = ["+49 30 1234", "=SUM(A1)", "-", "@home", "\tindented", "'quoted'", "'", 'say "x", or\ny', "plain"];
    const exported = texts.map((text) => toSeparatedLine(["file", text])).join("");
    expect(
      separatedRecords(`fileId,name\r\n${exported}`, 100)
        .records.slice(1)
        .map(({ cells }) => cells[1]),
    ).toEqual(texts);
  });

  it("reports the line of a quote that is not closed", () => {
    expect(separatedRecords('a,b\n1,2\n"3,4\n5,6', 10).unclosed).toBe(3);
  });

  it("reads no more than a number of records", () => {
    for (const text of ["a\n1\n2", "a\n1\n2\n"]) {
      expect([1, 2, 3, 4].map((limit) => separatedRecords(text, limit).records.length)).toEqual([1, 2, 3, 3]);
    }
  });

  it("returns no records for empty text", () => {
    expect(separatedRecords("\n\n", 10).records).toEqual([]);
  });
});
