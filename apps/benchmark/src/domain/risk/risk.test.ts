import { createConfiguration } from "../../testing/scoring.ts";
import type { FileObservation, ObservedValue } from "./observation.ts";
import { computeRisk } from "./risk.ts";

const configuration = createConfiguration({
  document: [["one"], ["two"], ["hidden", "TEXT", { excludedFromExtraction: true }]],
});
const wanted = { error: 0.02, confidence: 0.95 };

const value = (column: string, confidence: number, wrong = false, source: "TEXT" | "OCR" = "TEXT"): ObservedValue => ({
  columnId: `document.${column}`,
  confidence,
  wrong,
  source,
});
const files = (count: number, values: (index: number) => ObservedValue[], name = "fil"): FileObservation[] =>
  Array.from({ length: count }, (_, index) => ({ fileId: `${name}_${String(index)}`, values: values(index) }));

describe("what may go unseen", () => {
  it("needs files: without one, and with few, it says about how many", () => {
    const none = computeRisk([], configuration, wanted);
    // log(2 / 0.05) / -log(0.98): half of the level is available at one threshold.
    expect(none).toMatchObject({
      threshold: null,
      coverage: 0,
      filesUsed: 0,
      filesNeeded: 183,
      values: 0,
      bySource: [],
    });
    expect(none.byColumn.map(({ column, filesNeeded }) => [column.slug, filesNeeded])).toEqual([
      ["one", 183],
      ["two", 183],
    ]);
    const few = computeRisk(
      files(100, () => [value("one", 0.99), value("two", 0.99)]),
      configuration,
      wanted,
    );
    expect(few).toMatchObject({ threshold: null, filesUsed: 100, filesNeeded: 83, values: 200 });
    const enough = computeRisk(
      files(184, () => [value("one", 0.99), value("two", 0.9)]),
      configuration,
      wanted,
    );
    expect(enough).toMatchObject({ threshold: 0.01, coverage: 1, filesNeeded: null });
  });

  it("lets only certain values go unseen if the others are often wrong, whatever the order of files", () => {
    const mixed = files(400, (index) => [
      value("one", 0.99),
      value("two", index % 2 === 0 ? 0.95 : 0.55, index % 4 === 1),
    ]);
    const risk = computeRisk(mixed, configuration, wanted);
    expect(risk).toMatchObject({ threshold: 0.56, coverage: 0.75, filesUsed: 400, values: 800 });
    expect(risk.byColumn).toMatchObject([
      { threshold: 0.01, coverage: 1 },
      { threshold: 0.56, coverage: 0.5, filesUsed: 400 },
    ]);
    expect(computeRisk(mixed.toReversed(), configuration, wanted)).toEqual(risk);
  });

  it("is never a value with a confidence of 0, even if all of these were right", () => {
    const right = files(1_000, () => [value("one", 0.9), value("two", 0)]);
    expect(computeRisk(right, configuration, wanted)).toMatchObject({ threshold: 0.01, coverage: 0.5 });
    const unsupported = files(400, () => [value("one", 0)]);
    expect(computeRisk(unsupported, configuration, wanted)).toMatchObject({ threshold: null, coverage: 0 });
  });

  it("has a threshold for each kind of source, at a part of the level", () => {
    const both = [
      ...files(400, () => [value("one", 0.9)]),
      ...files(400, (index) => [value("one", 0.9, index % 3 === 0, "OCR")], "photo"),
    ];
    const risk = computeRisk(both, configuration, wanted);
    expect(risk).toMatchObject({ threshold: 0.01, coverage: 0.5, filesUsed: 800 });
    expect(risk.bySource).toMatchObject([
      { source: "TEXT", threshold: 0.01, coverage: 1, filesUsed: 400, filesNeeded: null },
      // More files would not help: a third of the values is wrong.
      { source: "OCR", threshold: null, coverage: 0, filesUsed: 400, filesNeeded: null },
    ]);
    const alone = computeRisk(both.slice(0, 230), configuration, wanted);
    expect(alone.threshold).toBe(0.01);
  });

  it("counts values of a file that are wrong together as one", () => {
    const rows = (index: number) => Array.from({ length: 20 }, () => value("one", 0.99, index % 50 === 0));
    const find = (error: number, size = 20) =>
      computeRisk(
        files(300, (index) => rows(index).slice(0, size)),
        configuration,
        { error, confidence: 0.95 },
      );
    // 120 of 6,000 values are wrong, which would suffice for 3 % if they were independent; 6 of 300 do not.
    expect(find(0.03)).toMatchObject({ threshold: null, values: 6_000, filesNeeded: expect.any(Number) });
    expect(find(0.03, 1).threshold).toBeNull();
    expect(find(0.08).threshold).toBe(0.01);
    expect(find(0.08, 1).threshold).toBe(0.01);
  });
});
