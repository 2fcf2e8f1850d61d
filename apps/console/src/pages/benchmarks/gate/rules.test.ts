import type { Configuration } from "@switchyard/client";
import { parseRule, proposeMetrics, toText } from "./rules.ts";

describe("the rules of a gate", () => {
  it("are written in the address as on the command line", () => {
    const texts = ["aggregated.successRate >= 0.95", "compare.successRate.delta >= -0.01", "latency.p95 < 5000"];
    const rules = texts.map(parseRule);
    expect(rules.map((rule) => rule && toText(rule))).toEqual(texts);
    expect(parseRule("aggregated.f1>=0.5")).toEqual({ metric: "aggregated.f1", operator: ">=", value: 0.5 });
    expect(["", "f1", "f1 = 3", "f1 >= high", "f1 >= ."].map(parseRule)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("are proposed for the columns that are scored", () => {
    const column = (tableId: string, slug: string, excludedFromExtraction = false): object => ({
      tableId,
      slug,
      excludedFromExtraction,
    });
    const configuration = {
      tables: [
        { id: "a", slug: "invoice" },
        { id: "b", slug: "items" },
      ],
      columns: [column("a", "total"), column("b", "total"), column("a", "iban"), column("a", "note", true)],
    } as unknown as Configuration;
    const proposed = proposeMetrics(configuration).filter((metric) => metric.startsWith("byColumn."));
    expect(proposed.filter((metric) => metric.endsWith(".f1"))).toEqual([
      "byColumn.invoice.total.f1",
      "byColumn.items.total.f1",
      "byColumn.iban.f1",
    ]);
  });
});
