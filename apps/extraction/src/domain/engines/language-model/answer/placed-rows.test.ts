import { createConfiguration, placedDocument } from "../../../../testing/documents.ts";
import type { Placed } from "../../../../testing/documents.ts";
import { languageModel } from "../language-model.ts";

const configuration = createConfiguration({
  document: [["number", "Number"]],
  items: [
    ["quantity", "Quantity", "NUMBER"],
    ["price", "Price", "NUMBER"],
  ],
});

const pages = Array.from({ length: 9 }, () => Array.from({ length: 50 }, (_, line) => line));
/** The page and the height on it of each line. */
const places = pages.flatMap((lines, page) => lines.map((line) => `${page + 1}: ${(line / 60).toFixed(3)}`));

/** Extracts a table of equal rows, with an answer that names the line of each row, or only that of its first cell. */
function extractRows(namesAll: boolean) {
  const cells: readonly Placed[] = [
    [10, "1"],
    [40, "2.50"],
    [70, "pieces"],
  ];
  const text = placedDocument(...pages.map((lines) => lines.map(() => cells)));
  const items = places.map((_, index) => ({
    quantity: { value: 1, quote: "1", line: index + 1 },
    price: { value: 2.5, quote: "2.50", line: namesAll ? index + 1 : null },
  }));
  const [, table] = languageModel.extract({ text, configuration, knowledge: undefined }, [{ document: {}, items }]);
  return table?.rows ?? [];
}

describe("the rows of an answer about a table in which words are repeated hundreds of times", () => {
  it.each([true, false])("are all taken, with the places on their own lines", (namesAll) => {
    const rows = extractRows(namesAll);
    for (const column of ["quantity", "price"]) {
      const found = rows.map(({ evidence }) => evidence[column]);
      expect(found.map((place) => `${place?.page ?? 0}: ${(place?.box?.y ?? 0).toFixed(3)}`)).toEqual(places);
    }
  });
});
