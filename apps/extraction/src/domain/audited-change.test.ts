import { describeAcceptanceChange, describeFile } from "./audited-change.ts";

const value = (number: number) => ({ kind: { case: "numberValue", value: number } });
const table = (slug: string, ...rows: Readonly<Record<string, unknown>>[]) => ({
  slug,
  rows: rows.map((values) => ({ values })),
});

describe("audit entries of accepted values and files", () => {
  it("name tables and columns, and never contain a value", () => {
    const tables = [table("receipt", { total: value(4711), date: value(4712) }), table("lines", {}, {})];
    const changes = describeAcceptanceChange(null, tables);
    expect(changes).toEqual({
      accepted: { from: false, to: true },
      tables: [
        { slug: "receipt", rows: { from: 0, to: 1 }, columns: ["total", "date"] },
        { slug: "lines", rows: { from: 0, to: 2 }, columns: [] },
      ],
    });
    expect(JSON.stringify(changes)).not.toMatch(/471/);
  });

  it("leave out tables and columns that did not change", () => {
    const before = [table("receipt", { total: value(1), date: value(2) }), table("lines", { quantity: value(3) })];
    const after = [table("receipt", { date: value(2), total: value(7) }), table("lines", { quantity: value(3) })];
    expect(describeAcceptanceChange(before, after)).toEqual({ tables: [{ slug: "receipt", columns: ["total"] }] });
    const without = [table("receipt", { date: value(2) })];
    expect(describeAcceptanceChange(after, without)).toEqual({
      tables: [
        { slug: "receipt", columns: ["total"] },
        { slug: "lines", rows: { from: 1, to: 0 }, columns: ["quantity"] },
      ],
    });
  });

  it("distinguish a cell that is not labeled from null", () => {
    const before = [table("receipt", { total: value(1) })];
    const after = [table("receipt", { total: value(1), date: { kind: { case: "nullValue", value: 0 } } })];
    expect(describeAcceptanceChange(before, after)).toEqual({ tables: [{ slug: "receipt", columns: ["date"] }] });
  });

  it("report that accepted values were withdrawn, even if there were none", () => {
    expect(describeAcceptanceChange([], null)).toEqual({ accepted: { from: true, to: false }, tables: [] });
    expect(describeAcceptanceChange([table("receipt", { total: value(1) })], null)).toEqual({
      accepted: { from: true, to: false },
      tables: [{ slug: "receipt", rows: { from: 1, to: 0 }, columns: ["total"] }],
    });
  });

  it("contain the name, the project and the size of a file", () => {
    const file = { filename: "a".repeat(600), projectId: "prj_1", size: 12, sha256: "secret" };
    expect(describeFile(file)).toEqual({ filename: `${"a".repeat(500)}…`, projectId: "prj_1", size: 12 });
  });
});
