import { Select, Stack, Text, Title } from "@mantine/core";
import type { Execution } from "@switchyard/client";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { useCall } from "../../../api/queries.ts";
import { useParameters } from "../../../controls/parameters.ts";
import { formatTime } from "../../../format/times.ts";
import { usePermissions } from "../../../session/session.ts";
import { EmptyState } from "../../../table/empty-state.tsx";
import { texts } from "../../../texts/index.ts";
import { findBaselines } from "./baselines.ts";
import { ComparedCells } from "./compared-cells.tsx";
import { ComparedTables } from "./compared-tables.tsx";
import { ComparisonSummary } from "./comparison-summary.tsx";

const text = texts.benchmarks.comparison;

/** The comparison of a run with another run of its model: by default the one before it. */
export function Comparison({ run }: { run: Execution }) {
  const parameters = useParameters();
  const may = usePermissions();
  const list = useCall(...firstRequests.runs(run.projectId));
  const { choices, preset } = findBaselines(list.data?.data ?? [], run);
  const baseline = parameters.get("baseline") || preset?.id;
  const isRunning = run.status === "RUNNING";
  const comparison = useCall(
    "compareExecutions",
    { executionId: run.id, baseline: baseline ?? "" },
    { enabled: baseline !== undefined && !isRunning },
  );
  const compared = baseline === comparison.data?.baseline ? comparison.data : undefined;
  if (isRunning) return <Text>{text.running}</Text>;
  if (list.isSuccess && choices.length === 0)
    return (
      <EmptyState
        title={text.noBaseline}
        link={
          may("benchmarks:run") &&
          may("models:read") && {
            href: `~/console/projects/${run.projectId}/benchmarks?new&deploymentId=${run.deploymentId}`,
            label: texts.benchmarks.newRun,
          }
        }
      >
        {text.noBaselineHint}
      </EmptyState>
    );
  return (
    <Stack>
      <Title order={2} size="h4">
        {text.title}
      </Title>
      <Problem error={list.error} retry={() => void list.refetch()} />
      <Select
        label={text.baseline}
        placeholder={text.choose}
        data={choices.map(({ id, name, createdAt }) => ({ value: id, label: `${name} (${formatTime(createdAt)})` }))}
        value={baseline ?? null}
        onChange={(id) => parameters.set({ baseline: id ?? "" })}
        allowDeselect={false}
        searchable
        maw={480}
      />
      <Problem error={comparison.error} retry={() => void comparison.refetch()} />
      {compared !== undefined && comparison.error === null && (
        <>
          <ComparisonSummary
            run={run}
            comparison={compared}
            baselineFiles={choices.find(({ id }) => id === baseline)?.fileCount}
          />
          <ComparedTables comparison={compared} />
          <ComparedCells run={run} comparison={compared} />
        </>
      )}
    </Stack>
  );
}
