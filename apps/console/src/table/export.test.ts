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
});
