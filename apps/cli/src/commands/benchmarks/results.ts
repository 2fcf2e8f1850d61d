import type { OutcomeCounts } from "@switchyard/client";
import { fields, table } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { valueText } from "../documents/value-text.ts";
import { ids } from "../ids.ts";
import { formatTokens, metricsView, percent } from "./metrics-view.ts";

function counts(outcomes: OutcomeCounts | null) {
  return [outcomes?.wrong, outcomes?.invented, outcomes?.missing];
}

/** The commands for the results of benchmark runs. */
export const benchmarkResultCommands: readonly Command[] = [
  operation({
    noun: "benchmarks",
    verb: "metrics",
    summary: "Show the metrics of a benchmark run",
    call: "getMetrics",
    arguments: [ids.execution],
    view: metricsView,
  }),
  operation({
    noun: "benchmarks",
    verb: "files",
    summary: "List the files of a benchmark run with their scores",
    call: "listFileResults",
    arguments: [ids.execution],
    options: [
      {
        name: "status",
        value: "STATUS",
        description: "only list files with this status",
        choices: ["SCORED", "FAILED", "LEFT_OUT"],
      },
    ],
    view: ({ data }) => [
      table(
        [
          { title: "file", content: "id" },
          { title: "filename", content: "text" },
          { title: "status" },
          { title: "correct", right: true },
          { title: "exact" },
          { title: "wrong", right: true },
          { title: "invented", right: true },
          { title: "missing", right: true },
          { title: "error" },
          { title: "milliseconds", right: true },
          { title: "tokens" },
          { title: "cost", right: true },
        ],
        data.map(({ fileId, filename, status, successRate, exact, outcomes, error, extractMs, usage }) => [
          fileId,
          filename,
          status,
          percent(successRate),
          exact ? "yes" : "no",
          ...counts(outcomes),
          error?.code,
          extractMs === null ? null : Math.round(extractMs),
          formatTokens(usage),
          usage?.cost,
        ]),
      ),
    ],
  }),
  operation({
    noun: "benchmarks",
    verb: "cells",
    summary: "Show the expected and the extracted value of every cell of a file",
    call: "getFileResult",
    arguments: [ids.execution, ids.file],
    view: (result) => [
      fields(
        ["file", result.fileId],
        ["filename", result.filename],
        ["status", result.status],
        ["error", result.error === null ? null : `${result.error.code}: ${result.error.message}`],
        ["correct", percent(result.successRate)],
      ),
      table(
        [
          { title: "table" },
          { title: "row", right: true },
          { title: "column" },
          { title: "outcome" },
          { title: "expected", content: "text" },
          { title: "actual", content: "text" },
          { title: "similarity", right: true },
        ],
        result.cells.map(({ table: name, row, column, outcome, expected, actual, similarity }) => [
          name,
          row,
          column,
          outcome,
          valueText(expected),
          valueText(actual),
          similarity.toFixed(2),
        ]),
      ),
    ],
  }),
];
