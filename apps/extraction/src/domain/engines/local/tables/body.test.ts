import { createConfiguration, plainDocument } from "../../../../testing/documents.ts";
import { extractTables } from "../extract.ts";

const configuration = createConfiguration({
  document: [["number", "Number"]],
  items: [
    ["item", "Description"],
    ["quantity", "Quantity", "NUMBER"],
    ["price", "Price", "NUMBER"],
    ["amount", "Amount", "NUMBER"],
  ],
});

/** Extracts a table with this many rows, which is followed by another section of many lines with numbers. Returns the time of the processor in this thread. */
function measure(rows: number): { rows: number; time: number } {
  const lines = [
    "Description\tQuantity\tPrice\tAmount",
    ...Array.from({ length: rows }, (_, index) => `Bolt\t${index % 9}\t2\t${2 * (index % 9)}`),
    "Notes:\tDescription Price Amount",
    ...Array.from({ length: 5_000 }, (_, index) => `a\t${index}\t3\t4`),
  ];
  const text = plainDocument(lines.join("\n"));
  const before = process.threadCpuUsage();
  const [, table] = extractTables(text, configuration);
  return { rows: table?.rows.length ?? 0, time: process.threadCpuUsage(before).user };
}

describe("the lines after a table", () => {
  it("are compared with its rows in a time that hardly depends on how many there are", () => {
    measure(10);
    // What else the machine does makes some of the times longer, and none shorter.
    const times: { few: number; many: number }[] = [];
    for (let round = 0; round < 5; round += 1) {
      const [few, many] = [measure(200), measure(1_990)];
      expect([few.rows, many.rows]).toEqual([200, 1_990]);
      times.push({ few: few.time, many: many.time });
    }
    const few = Math.min(...times.map((each) => each.few));
    expect(Math.min(...times.map(({ many }) => many))).toBeLessThan(2.5 * few);
  });
});
