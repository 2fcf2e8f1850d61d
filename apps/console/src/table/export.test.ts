import { toCsv, toJson } from "./export.ts";

const columns = [
  { title: "name", value: ({ name }: { name: string; count: number | null }) => name },
  { title: "count", value: ({ count }: { name: string; count: number | null }) => count },
];

describe("the export of a table", () => {
  it("quotes what needs it, and makes formulas harmless", () => {
    const rows = [
      { name: 'say "a, b"', count: -1 },
      { name: "=HYPERLINK(1)", count: null },
      { name: "two\nlines", count: 2 },
    ];
    expect(toCsv(columns, rows)).toBe(`name,count\r\n"say ""a, b""",-1\r\n'=HYPERLINK(1),\r\n"two\nlines",2\r\n`);
  });

  it("is JSON with the same values", () => {
    expect(JSON.parse(toJson(columns, [{ name: "=1", count: null }]))).toEqual([{ name: "=1", count: null }]);
  });

  it("has all columns as JSON, although some have the same title", () => {
    const routes = ["Invoice", "Invoice (2)", "Invoice", "Invoice"].map((title, count) => ({
      title,
      value: () => count,
    }));
    const names = ["Invoice", "Invoice (2)", "Invoice (3)", "Invoice (4)"];
    expect(JSON.parse(toJson(routes, [{}]))).toEqual([Object.fromEntries(names.map((name, count) => [name, count]))]);
  });
});
