import { create } from "@bufbuild/protobuf";
import { ExtractedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { findPlaces, packPlaces, unpackPlaces } from "./cell-places.ts";

describe("the places of cells", () => {
  it("are those of the extracted rows that the cells were compared with, and survive storage", async () => {
    const evidence = (quote: string) => ({
      total: { page: 1, quote, box: { x: 0.1, y: 0.2, width: 0.3, height: 0.04 } },
    });
    const tables = [
      create(ExtractedTableSchema, {
        slug: "lines",
        rows: [{ evidence: evidence("1,00") }, { evidence: evidence("2,00") }],
      }),
    ];
    const cell = { table: "lines", column: "total", actualRow: 1, actual: 2 };
    const cells = [cell, { ...cell, actualRow: 0 }, { ...cell, column: "other" }, { ...cell, actual: null }].concat([
      { ...cell, table: "none" },
    ]);
    const places = findPlaces([...cells, { ...cell, actualRow: null }], tables);
    expect(places.map((place) => place?.quote)).toEqual(["2,00", "1,00", undefined, undefined, undefined, undefined]);
    expect(await unpackPlaces(await packPlaces(places))).toEqual(places);
  });
});
