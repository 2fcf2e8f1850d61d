import type { GateExecutionResponse } from "@switchyard/client";
import { toJunit, toMarkdown } from "./gate-report.ts";

const failed: GateExecutionResponse = {
  passed: false,
  status: "CANCELLED",
  rules: [
    { metric: "aggregated.f1", operator: ">=", value: 0.9, actual: 0.912_345_678, passed: true },
    { metric: "byColumn.total.f1", operator: "<", value: 1, actual: null, passed: false },
    { metric: "compare.f1.delta", operator: ">", value: -0.01, actual: -0.5, passed: false },
  ],
};

describe("the report of a gate", () => {
  it("is JUnit XML with a test case for the status and for each rule", () => {
    expect(toJunit('bmk_"1"', failed).split("\n")).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="switchyard benchmarks gate" tests="4" failures="3">',
      '  <testsuite name="bmk_&quot;1&quot;" tests="4" failures="3" errors="0" skipped="0">',
      '    <testcase classname="switchyard.benchmarks.gate" name="the run is COMPLETED"><failure message="The run is CANCELLED."/></testcase>',
      '    <testcase classname="switchyard.benchmarks.gate" name="aggregated.f1 &gt;= 0.9"/>',
      '    <testcase classname="switchyard.benchmarks.gate" name="byColumn.total.f1 &lt; 1"><failure message="The actual value is unknown: there is no data for it."/></testcase>',
      '    <testcase classname="switchyard.benchmarks.gate" name="compare.f1.delta &gt; -0.01"><failure message="The actual value is -0.5."/></testcase>',
      "  </testsuite>",
      "</testsuites>",
      "",
    ]);
  });

  it("is Markdown with a table of the rules", () => {
    const lines = toMarkdown("bmk_1", failed).split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "### Benchmark gate failed",
      "",
      "Run `bmk_1` is CANCELLED.",
      "",
      "| Outcome | Metric | Rule | Actual |",
    ]);
    expect(lines.slice(6)).toEqual([
      "| ✅ passed | `aggregated.f1` | `>= 0.9` | 0.912346 |",
      "| ❌ failed | `byColumn.total.f1` | `< 1` | no data |",
      "| ❌ failed | `compare.f1.delta` | `> -0.01` | -0.5 |",
      "",
    ]);
    const passed = { ...failed, passed: true, status: "COMPLETED" as const };
    expect(toMarkdown("bmk_1", passed)).toMatch(/^### Benchmark gate passed\n\nRun `bmk_1` is COMPLETED\.\n/);
  });
});
