import { Select, Stack, Text, Title } from "@mantine/core";
import type { Execution, GateExecutionResponse, GateRuleResult } from "@switchyard/client";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { useCall } from "../../../api/queries.ts";
import { useParameters } from "../../../controls/parameters.ts";
import { Status } from "../../../controls/status.tsx";
import { formatTime } from "../../../format/times.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { findBaselines } from "../comparison/baselines.ts";
import { RulesForm } from "./rules-form.tsx";
import { parseRule, proposeMetrics, toText } from "./rules.ts";
import type { Rule } from "./rules.ts";

const text = texts.benchmarks.gate;

/** A gate: rules about a run, and whether they are met. The rules are in the address. */
export function Gate({ run }: { run: Execution }) {
  const parameters = useParameters();
  const list = useCall(...firstRequests.runs(run.projectId));
  const { choices } = findBaselines(list.data?.data ?? [], run);
  const baseline = parameters.get("baseline");
  const rules = parameters
    .getAll("rule")
    .map(parseRule)
    .filter((rule): rule is Rule => rule !== undefined);
  const isEnabled = rules.length > 0 && run.status !== "RUNNING";
  const request = { executionId: run.id, rules, ...(baseline !== "" && { baseline }) };
  const gate = useCall("gateExecution", request, { enabled: isEnabled });
  if (run.status === "RUNNING") return <Text>{text.running}</Text>;
  return (
    <Stack>
      <Title order={2} size="h4">
        {text.title}
      </Title>
      <Text size="sm">{text.hint}</Text>
      <Select
        label={text.baseline}
        description={text.baselineHint}
        placeholder={text.none}
        data={choices.map(({ id, name, createdAt }) => ({ value: id, label: `${name} (${formatTime(createdAt)})` }))}
        value={baseline || null}
        onChange={(id) => parameters.set({ baseline: id ?? "" })}
        clearable
        searchable
        maw={480}
      />
      <RulesForm
        initial={rules}
        metrics={proposeMetrics(run.configuration)}
        isChecking={gate.isFetching}
        onCheck={(checked) => parameters.set({ rule: checked.map(toText) })}
      />
      <Problem error={isEnabled ? gate.error : null} retry={() => void gate.refetch()} />
      {/* While the next result is under way, the previous one would mislead. */}
      {isEnabled && gate.data !== undefined && !gate.isPlaceholderData && gate.error === null && (
        <Result result={gate.data} />
      )}
    </Stack>
  );
}

function Result({ result: { passed, rules, status } }: { result: GateExecutionResponse }) {
  return (
    <Stack gap="xs">
      <div role="status">
        <Title order={3} size="h5">
          <Status tone={passed ? "good" : "bad"}>{passed ? text.passed : text.failed}</Status>
        </Title>
        {status !== "COMPLETED" && <Text>{text.notCompleted(texts.benchmarks.statuses[status])}</Text>}
      </div>
      <DataTable
        name={text.results}
        columns={columns}
        rows={rules}
        rowKey={(rule) => toText(rule as Rule)}
        empty={null}
      />
    </Stack>
  );
}

const columns: readonly Column<GateRuleResult>[] = [
  { title: text.rule, value: (rule) => toText(rule as Rule) },
  {
    title: text.actual,
    value: ({ actual }) => actual,
    cell: ({ actual }) => (actual === null ? text.noData : String(Number(actual.toFixed(4)))),
    align: "right",
  },
  {
    title: texts.benchmarks.results.status,
    value: ({ passed }) => passed,
    cell: ({ passed }) => <Status tone={passed ? "good" : "bad"}>{passed ? text.met : text.notMet}</Status>,
  },
];
