import type { Execution, ExecutionEvent, ExecutionSummary, Metrics, Savings } from "@switchyard/client";
import type { Command } from "../../parsing/command.ts";
import type { Context } from "../../context.ts";
import { exitCodes } from "../../terminal/exit-codes.ts";
import { fields, table, type Column, type View } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import { ids, projectIdOption } from "../ids.ts";
import { follow } from "./following.ts";
import { formatTokens, metricsView } from "./metrics-view.ts";

const executionColumns: readonly Column[] = [
  { title: "id", content: "id" },
  { title: "name", content: "text" },
  { title: "description", content: "text" },
  { title: "status" },
  { title: "files", right: true },
  { title: "model", content: "reference" },
  { title: "model name", content: "text" },
  { title: "created", content: "time" },
  { title: "created by", content: "reference" },
];

function executionRow(execution: ExecutionSummary) {
  const { id, name, description, status, fileCount, deploymentId, deploymentName, createdAt, createdBy } = execution;
  return [id, name, description, status, fileCount, deploymentId, deploymentName, createdAt, createdBy];
}

function executionView(execution: Execution, metrics: Metrics): View {
  const { progress, error, savings } = execution;
  return [
    fields(
      ["id", execution.id],
      ["name", execution.name],
      ["description", execution.description],
      ["status", execution.status],
      ["error", error === null ? null : `${error.code}: ${error.message}`],
      ["project", execution.projectId],
      ["model", `${execution.deploymentName} (${execution.deploymentId})`],
      ["schema", execution.extractionSchemaId],
      ["files", progress === null ? null : `${progress.done} of ${progress.total}, ${progress.failed} failed`],
      ["completed", execution.completedAt],
      ["tokens", formatTokens(execution.usage)],
      ["cost", execution.usage?.cost],
      ["typing saved", savings === null ? null : formatSavings(savings)],
    ),
    ...metricsView(metrics),
  ];
}

/** Formats the typing that a run saves: hours, or minutes if it is less than one. */
function formatSavings({ hours, cells }: Savings): string {
  const time = hours < 1 ? `${(hours * 60).toFixed(1)} minutes` : `${hours.toFixed(1)} hours`;
  return `${time} for ${cells} ${cells === 1 ? "value" : "values"}`;
}

/** Shows a run: as JSON, or with its metrics. */
async function showExecution(context: Context, id: string): Promise<void> {
  const client = await context.client();
  const call = { executionId: id };
  const metrics = context.json ? undefined : await client.getMetrics(call, { signal: context.io.signal });
  await context.call("getExecution", call, (execution) =>
    metrics === undefined ? [] : executionView(execution, metrics),
  );
}

function getRunExitCode(context: Context, status: ExecutionEvent["status"]): number {
  if (status === "COMPLETED") return exitCodes.done;
  context.note(`The run is ${status}.`);
  return exitCodes.error;
}

/** The commands for benchmark runs. */
export const benchmarkCommands: readonly Command[] = [
  operation({
    noun: "benchmarks",
    verb: "list",
    summary: "List the benchmark runs of a project, newest first",
    call: "listExecutions",
    options: [projectIdOption],
    view: ({ data }) => [table(executionColumns, data.map(executionRow))],
  }),
  {
    noun: "benchmarks",
    verb: "run",
    summary: "Run a model over accepted files and score every cell",
    calls: ["createExecution", "watchExecution", "getExecution", "getMetrics"],
    details:
      "The ID must be that of a model. IDs of deployments and of extraction schemas are not accepted. If the server can no longer be reached, --wait tries again for as long as --timeout allows.",
    options: [
      projectIdOption,
      { name: "deployment-id", value: "ID", description: "the ID of a model of the project", required: true },
      { name: "name", value: "TEXT", description: "the run's name", required: true },
      { name: "description", value: "TEXT", description: "a description of the run" },
      {
        name: "extraction-schema-id",
        value: "ID",
        description: "the ID of the extraction schema to run; by default, the model's current one",
      },
      {
        name: "file-id",
        value: "ID",
        description: "the ID of a file of the run; by default, all accepted files",
        repeats: true,
      },
      {
        name: "wait",
        description: "wait until the run has ended, and show its metrics; exit with code 1 unless it is COMPLETED",
      },
    ],
    examples: ["switchyard benchmarks run --project-id prj_01 --deployment-id mdl_01 --name nightly --wait"],
    async run(context, input) {
      const fileIds = input.list("file-id");
      const request = {
        projectId: input.required("project-id"),
        deploymentId: input.required("deployment-id"),
        name: input.required("name"),
        description: input.text("description"),
        extractionSchemaId: input.text("extraction-schema-id"),
        ...(fileIds.length > 0 ? { fileIds } : {}),
      };
      if (!input.on("wait"))
        return context.call("createExecution", request, ({ executionId: id, deploymentId, fileCount, status }) => [
          table(
            [
              { title: "id", content: "id" },
              { title: "model", content: "reference" },
              { title: "files", right: true },
              { title: "status" },
            ],
            [[id, deploymentId, fileCount, status]],
          ),
        ]);
      const { executionId: id } = await (
        await context.client()
      ).createExecution(request, { signal: context.io.signal });
      // It continues if this command is interrupted, or cannot reach the server any more.
      context.note(`The run is ${id}.`);
      const status = await follow(context, input, id, { hasAnswered: true });
      await showExecution(context, id);
      return getRunExitCode(context, status);
    },
  },
  {
    noun: "benchmarks",
    verb: "get",
    summary: "Show a benchmark run with its metrics",
    calls: ["getExecution", "getMetrics"],
    arguments: [ids.execution],
    options: [{ name: "metrics", description: "show only the metrics; with JSON output, all of them" }],
    run: (context, input) => {
      const id = input.argument("executionId");
      if (!input.on("metrics")) return showExecution(context, id);
      return context.call("getMetrics", { executionId: id }, (metrics) => metricsView(metrics));
    },
  },
  {
    noun: "benchmarks",
    verb: "watch",
    summary: "Follow a benchmark run until it ends",
    calls: ["watchExecution", "getExecution", "getMetrics"],
    details:
      "With JSON output, prints one event per line. If the server can no longer be reached, tries again for as long as --timeout allows. The exit code is 1 unless the run is COMPLETED.",
    arguments: [ids.execution],
    async run(context, input) {
      const id = input.argument("executionId");
      const plain = !context.json && !context.io.stdout.isTerminal;
      let first = true;
      const seen = (event: ExecutionEvent): void => {
        if (context.json) context.io.stdout.write(`${JSON.stringify(event)}\n`);
        if (!plain) return;
        const { total, done, failed } = event.progress ?? {};
        context.show(
          [
            table(
              ["status", "total", "done", "failed"].map((title) => ({ title })),
              [[event.status, total, done, failed]],
            ),
          ],
          first,
        );
        first = false;
      };
      const status = await follow(context, input, id, { seen });
      if (!context.json && !plain) await showExecution(context, id);
      return getRunExitCode(context, status);
    },
  },
  operation({
    noun: "benchmarks",
    verb: "cancel",
    summary: "Cancel a benchmark run",
    details: "A run that has ended stays as it is.",
    call: "cancelExecution",
    arguments: [ids.execution],
    view: (execution) => [table(executionColumns, [executionRow(execution)])],
  }),
  operation({
    noun: "benchmarks",
    verb: "delete",
    summary: "Delete a benchmark run with its results",
    details: "A running one must be cancelled first. The command does not ask first.",
    call: "deleteExecution",
    arguments: [ids.execution],
    done: (input) => `The run ${input.argument("executionId")} is deleted.`,
  }),
];
