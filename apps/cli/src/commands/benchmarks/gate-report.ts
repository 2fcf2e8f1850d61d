import type { GateExecutionResponse, GateRuleResult } from "@switchyard/client";
import { fields, table, type View } from "@switchyard/terminal";

/** Formats the outcome of a gate as a table. */
export function gateView({ passed, status, rules }: GateExecutionResponse): View {
  return [
    fields(["gate", passed ? "passed" : "failed"], ["status", status]),
    table(
      [{ title: "metric" }, { title: "rule", right: true }, { title: "actual", right: true }, { title: "outcome" }],
      rules.map((rule) => [rule.metric, toCondition(rule), figure(rule.actual), rule.passed ? "passed" : "failed"]),
    ),
  ];
}

/** Formats the outcome of a gate as JUnit XML, with a test case for each rule and one for the status of the run. */
export function toJunit(executionId: string, { status, rules }: GateExecutionResponse): string {
  const cases = [
    {
      name: "the run is COMPLETED",
      failure: status === "COMPLETED" ? null : `The run is ${status}.`,
    },
    ...rules.map((rule) => ({
      name: `${rule.metric} ${toCondition(rule)}`,
      failure: rule.passed ? null : `The actual value is ${figure(rule.actual) ?? "unknown: there is no data for it"}.`,
    })),
  ];
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const counts = `tests="${String(cases.length)}" failures="${String(failures)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="switchyard benchmarks gate" ${counts}>`,
    `  <testsuite name="${xml(executionId)}" ${counts} errors="0" skipped="0">`,
    ...cases.map(({ name, failure }) => {
      const start = `    <testcase classname="switchyard.benchmarks.gate" name="${xml(name)}"`;
      return failure === null ? `${start}/>` : `${start}><failure message="${xml(failure)}"/></testcase>`;
    }),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** Formats the outcome of a gate as Markdown, such as for the comment of a pull request. */
export function toMarkdown(executionId: string, { passed, status, rules }: GateExecutionResponse): string {
  const lines = rules.map(
    (rule) =>
      `| ${rule.passed ? "✅ passed" : "❌ failed"} | \`${rule.metric}\` | \`${toCondition(rule)}\` | ${figure(rule.actual) ?? "no data"} |`,
  );
  return [
    `### Benchmark gate ${passed ? "passed" : "failed"}`,
    "",
    `Run \`${executionId}\` is ${status}.`,
    "",
    "| Outcome | Metric | Rule | Actual |",
    "| --- | --- | --- | --- |",
    ...lines,
    "",
  ].join("\n");
}

function toCondition({ operator, value }: GateRuleResult): string {
  return `${operator} ${figure(value) ?? ""}`;
}

/** Formats a number with at most six significant digits after the point. */
function figure(value: number | null): string | null {
  return value === null ? null : String(Number(value.toFixed(6)));
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function xml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
