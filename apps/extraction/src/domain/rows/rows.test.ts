import { create, fromJson } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { AcceptedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { ExtractedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { isMatch, toCells } from "./cells.ts";
import { currentTables } from "./current-tables.ts";
import { toSeparatedLine } from "./separated-values.ts";

const values = (cells: Record<string, JsonValue>) =>
  Object.fromEntries(Object.entries(cells).map(([slug, cell]) => [slug, fromJson(ValueSchema, cell)]));

describe("current values", () => {
  const extracted = [
    create(ExtractedTableSchema, {
      slug: "document",
      rows: [{ values: values({ a: "x", b: 1 }), confidence: { a: 0.9, b: 0.5 }, evidence: { a: { page: 1 } } }],
    }),
  ];

  it("are the extracted ones without evidence if none are accepted", () => {
    const [table] = currentTables(null, extracted);
    expect(table?.rows[0]).toMatchObject({ confidence: { a: 0.9, b: 0.5 }, evidence: {} });
    expect(currentTables(null, null)).toEqual([]);
  });

  it("have the confidence of the extraction only for values that were extracted", () => {
    const rows = [{ values: values({ a: "x", b: 2 }) }, { values: values({ a: "x" }) }];
    const [table] = currentTables([create(AcceptedTableSchema, { slug: "document", rows })], extracted);
    expect(table?.rows.map(({ confidence }) => confidence)).toEqual([{ a: 0.9 }, {}]);
    expect(toCells(table?.rows[0] ?? { values: {} }, ["b", "a", "c", "toString"])).toEqual([2, "x", null, null]);
  });
});

describe("the search in a row", () => {
  const row = { values: values({ a: "Société", b: 4711, c: null, d: true }) };
  it.each([
    ["", true],
    ["societe", true],
    ["invoice", true],
    ["4711", false],
    ["true", false],
  ])("for %j gives %j", (search, expected) => {
    expect(isMatch("INVOICE.pdf", row, search)).toBe(expected);
  });
});

describe("a line of comma-separated values", () => {
  it.each([
    [["a", 1, true, null, ""], "a,1,true,,\r\n"],
    [["=1", "+1", "-1", "@a", "\ta", "\ra"], "'=1,'+1,'-1,'@a,'\ta,\"'\ra\"\r\n"],
    [[-1, 1e21, -0.5], "-1,1e+21,-0.5\r\n"],
    [['a"b', "a,b", "a\nb", " a "], '"a""b","a,b","a\nb", a \r\n'],
  ])("of %j is %j", (cells, expected) => {
    expect(toSeparatedLine(cells)).toBe(expected);
  });
});
