import { createConfiguration, scoreValues } from "../../testing/scoring.ts";
import { countTyping, estimateHours } from "./savings.ts";

it("counts the keystrokes of correct values, as in docs/scoring.md", () => {
  const configuration = createConfiguration({
    invoice: [["seller"], ["date", "DATE"], ["total", "NUMBER"], ["paid", "BOOLEAN"], ["currency"]],
  });
  const { cells } = scoreValues(
    configuration,
    { invoice: [{ seller: "Acme Ltd", total: 12.5, paid: true }] },
    { invoice: [{ seller: "ACME LTD.", total: 13, paid: true, currency: "EUR" }] },
  );
  const typing = countTyping(cells);
  // "Acme Ltd" and "true", each with a key to the next field.
  expect(typing).toEqual({ cells: 2, keystrokes: 8 + 1 + 4 + 1 });
  expect(estimateHours(typing)).toBeCloseTo((2 * 1.35 + 14 * 0.28) / 3600, 12);
  expect(estimateHours({ cells: 1000, keystrokes: 11_000 })).toBeCloseTo(1.2306, 4);
});
