import { sheetLimits, sheetPath, toSheetRow, toWorkbook } from "./spreadsheet.ts";

const text = (content: string): string => {
  const [, inside = ""] = /<t xml:space="preserve">(.*)<\/t>/s.exec(toSheetRow([content], 1)) ?? [];
  return inside;
};

describe("the rows of a sheet", () => {
  it("have cells of text, numbers and Booleans with their addresses, and none for what is empty", () => {
    expect(toSheetRow(["=1+1", 2.5, null, "", true, -0], 7)).toBe(
      '<row r="7"><c r="A7" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c><c r="B7"><v>2.5</v></c>' +
        '<c r="E7" t="b"><v>1</v></c><c r="F7"><v>0</v></c></row>',
    );
  });

  it("name columns beyond Z", () => {
    const cells: (number | null)[] = Array.from({ length: 703 }, () => null);
    cells[25] = cells[26] = cells[701] = cells[702] = 1;
    expect([...toSheetRow(cells, 1).matchAll(/r="([A-Z]+)1"/g)].map(([, name]) => name)).toEqual([
      "Z",
      "AA",
      "ZZ",
      "AAA",
    ]);
  });

  it("escape texts, and leave out what XML does not allow", () => {
    expect(text('<a & "b">')).toBe('&lt;a &amp; "b"&gt;');
    expect(text("a\u0000b\u001fc\ud800d\uffff\te\nf\rg")).toBe("abcd\te\nf&#13;g");
    expect(text("😀")).toBe("😀");
    expect(text("_x0041_")).toBe("_x005F_x0041_");
  });

  it("cut texts off at the limit of a cell, never within a character", () => {
    expect(text("x".repeat(40_000))).toHaveLength(sheetLimits.characters);
    expect(text(`${"x".repeat(sheetLimits.characters - 1)}😀`)).toBe("x".repeat(sheetLimits.characters - 1));
  });
});

describe("a workbook", () => {
  const names = (name: string, sheets: number) =>
    [...(toWorkbook(name, sheets)[0]?.xml ?? "").matchAll(/<sheet name="([^"]*)"/g)].map(([, found]) => found);

  it("names its sheets after the table, within the limits of a name", () => {
    expect(names("document", 2)).toEqual(["document", "document 2"]);
    expect(names("x".repeat(63), 2)).toEqual(["x".repeat(31), `${"x".repeat(29)} 2`]);
    expect(names("history", 1)).toEqual(["Values"]);
  });

  it("has no fill without a pattern, which openpyxl refuses", () => {
    const styles = toWorkbook("document", 1).find(({ path }) => path === "xl/styles.xml")?.xml ?? "";
    expect(styles.match(/<fill\b[^>]*>(?!<patternFill )/g)).toBeNull();
    expect(styles.match(/<patternFill patternType="(\w+)"\/>/g)).toHaveLength(2);
  });

  it("refers to each of its sheets", () => {
    const parts = toWorkbook("document", 2);
    for (const index of [0, 1]) {
      const [types, relations] = [parts.at(-1)?.xml, parts[1]?.xml];
      expect(types).toContain(`/${sheetPath(index)}"`);
      expect(relations).toContain(`Target="worksheets/sheet${index + 1}.xml"`);
    }
  });
});
