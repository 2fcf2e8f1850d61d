import { parseJsonBody } from "@switchyard/client";
import type { GateExecutionResponse, GateRuleBody } from "@switchyard/client";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { exitCodes, UsageError } from "../../terminal/exit-codes.ts";
import { ids } from "../ids.ts";
import { comparisonView } from "./comparison-view.ts";
import { gateView, toJunit, toMarkdown } from "./gate-report.ts";

const rulePattern = /^\s*([\w.]+)\s*(>=|<=|>|<)\s*(\S+)\s*$/;

/** Parses a rule, such as `aggregated.f1 >= 0.9`. */
function toRule(text: string): GateRuleBody {
  const [, metric = "", operator = "", written = ""] = rulePattern.exec(text) ?? [];
  const value = Number(written);
  if (metric === "" || written === "" || !Number.isFinite(value))
    throw new UsageError(`--rule takes "METRIC OPERATOR NUMBER", such as "aggregated.f1 >= 0.9", not "${text}"`);
  return { metric, operator: operator, value };
}

/** The commands that compare benchmark runs and check them. */
export const comparisonCommands: readonly Command[] = [
  operation({
    noun: "benchmarks",
    verb: "compare",
    summary: "Compare a benchmark run with an earlier one of the same model",
    details:
      "The runs are compared over the files and columns that both share. docs/scoring.md explains the figures and the verdicts.",
    call: "compareExecutions",
    arguments: [ids.execution],
    options: [
      { name: "baseline", value: "ID", description: "the ID of the run to compare with", required: true },
      {
        name: "margin",
        value: "SHARE",
        description: "the greatest difference that does not matter; 0.01 by default, which is one point",
        as: "number",
      },
    ],
    examples: ["switchyard benchmarks compare bmk_02 --baseline bmk_01"],
    view: comparisonView,
  }),
  {
    noun: "benchmarks",
    verb: "gate",
    summary: "Check a benchmark run against rules",
    calls: ["gateExecution"],
    details:
      "A rule compares a number of the run's metrics, or of its comparison with a baseline, with a value. The exit code is 9 unless all rules are met.",
    arguments: [ids.execution],
    options: [
      {
        name: "rule",
        value: "RULE",
        description: 'a metric, an operator (>=, >, <= or <) and a number: "aggregated.successRate >= 0.95"',
        repeats: true,
        required: true,
      },
      {
        name: "baseline",
        value: "ID",
        description: 'the ID of the run to compare with, for rules about compare.*: "compare.f1.delta >= -0.01"',
      },
      {
        name: "output",
        short: "o",
        value: "FORM",
        description: "table (default), json for the body of the API's response, junit for CI systems, or markdown",
        choices: ["table", "json", "junit", "markdown"],
      },
    ],
    examples: [
      'switchyard benchmarks gate bmk_02 --rule "aggregated.successRate >= 0.95" --rule "byColumn.total.f1 >= 0.9"',
      'switchyard benchmarks gate bmk_02 --baseline bmk_01 --rule "compare.successRate.delta >= -0.01" -o junit',
    ],
    async run(context, input) {
      const executionId = input.argument("executionId");
      const baseline = input.text("baseline");
      const rules = input.list("rule").map(toRule);
      const request = { executionId, rules, ...(baseline === undefined ? {} : { baseline }) };
      const client = await context.client();
      const response = await client.exchange("gateExecution", request, { signal: context.io.signal });
      const outcome = parseJsonBody(response) as GateExecutionResponse;
      const output = input.text("output");
      if (output === "json") context.body(response);
      else if (output === "junit") context.io.stdout.write(toJunit(executionId, outcome));
      else if (output === "markdown") context.io.stdout.write(toMarkdown(executionId, outcome));
      else context.show(gateView(outcome));
      return outcome.passed ? exitCodes.done : exitCodes.gateFailed;
    },
  },
];
