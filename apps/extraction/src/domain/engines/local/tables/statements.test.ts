import { createConfiguration, plainRows } from "../../../../testing/documents.ts";
import { makeStatement } from "../../../../testing/statements.ts";
import { extractTables } from "../extract.ts";

const counts =
  process.env["SWITCHYARD_TEST_COUNTS"] === "long"
    ? { statements: 1_000, timeout: 1_200_000 }
    : { statements: 25, timeout: 120_000 };
const first = Number(process.env["SWITCHYARD_TEST_SEED"] ?? 1);

const configuration = createConfiguration({
  statement: [
    ["net", "Net amount", "NUMBER"],
    ["tax", "Tax amount", "NUMBER"],
    ["total", "Total amount", "NUMBER"],
  ],
  rows: [
    ["description", "Description"],
    ["quantity", "Quantity", "NUMBER"],
    ["price", "Unit price", "NUMBER"],
    ["amount", "Amount", "NUMBER"],
  ],
});

describe(`made statements of 1 to 12 pages (SWITCHYARD_TEST_SEED=${String(first)})`, () => {
  test(
    "lose no row without a contradiction, and hardly any at all",
    () => {
      const silent: string[] = [];
      let right = 0;
      let flagged = 0;
      for (let seed = first; seed < first + counts.statements; seed += 1) {
        const { text, amounts, layout } = makeStatement(seed);
        const rows = extractTables(text, configuration)[1];
        const found = plainRows(rows).map(({ amount }) => amount);
        const isRight = found.length === amounts.length && found.every((amount, at) => amount === amounts[at]);
        const isFlagged = (rows?.contradictions.length ?? 0) > 0;
        right += isRight ? 1 : 0;
        flagged += isRight && isFlagged ? 1 : 0;
        if (!isRight && !isFlagged)
          silent.push(`${String(seed)}: ${String(found.length)} of ${String(amounts.length)} rows, ${layout}`);
      }
      console.log(
        `${String(counts.statements)} statements: all rows right in ${String(right)}, ${String(flagged)} of them doubted, lost in silence in ${String(silent.length)}`,
      );
      expect(silent).toEqual([]);
      expect(right).toBeGreaterThan(0.9 * counts.statements);
      expect(flagged).toBeLessThan(0.1 * counts.statements);
    },
    counts.timeout,
  );

  test(
    "contradict their sums if a row is not printed",
    () => {
      const silent: string[] = [];
      for (let seed = first; seed < first + counts.statements / 5; seed += 1) {
        const { text, amounts, layout } = makeStatement(seed, seed % 5);
        if (seed % 5 >= amounts.length) continue;
        const rows = extractTables(text, configuration)[1];
        if ((rows?.contradictions.length ?? 0) === 0) silent.push(`${String(seed)}: ${layout}`);
      }
      expect(silent).toEqual([]);
    },
    counts.timeout,
  );
});
