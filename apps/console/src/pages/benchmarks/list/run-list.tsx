import { Button, Group, Select, Stack, Text } from "@mantine/core";
import type { ExecutionSummary } from "@switchyard/client";
import { useState } from "react";
import { firstRequests } from "../../../api/first-requests.ts";
import { prefetchCall, useCall } from "../../../api/queries.ts";
import { RateBar } from "../../../controls/bar.tsx";
import { PageLink } from "../../../controls/page-link.tsx";
import { useParameters } from "../../../controls/parameters.ts";
import { formatRate } from "../../../format/figures.ts";
import { formatTime } from "../../../format/times.ts";
import { usePermissions } from "../../../session/session.ts";
import { DataTable } from "../../../table/data-table.tsx";
import { EmptyState } from "../../../table/empty-state.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { PageTitle } from "../../../controls/page-title.tsx";
import { texts } from "../../../texts/index.ts";
import { NewRun } from "./new-run.tsx";
import { RunStatus } from "./run-status.tsx";
import { useRunFigures } from "./run-figures.ts";
import type { RunFigures } from "./run-figures.ts";

type Row = ExecutionSummary & { readonly figures: RunFigures };

/** The number of runs whose figures are requested at once. */
const step = 10;

/** The runs of a project, newest first. */
export function RunList({ projectId }: { projectId: string }) {
  const may = usePermissions();
  const parameters = useParameters();
  const [shown, setShown] = useState(step);
  const list = useCall(...firstRequests.runs(projectId), { repeatMs: 10_000 });
  const runs = list.data?.data ?? [];
  const model = parameters.get("model");
  const status = parameters.get("status");
  const matching = runs.filter(
    (run) => (model === "" || run.deploymentId === model) && (status === "" || run.status === status),
  );
  const visible = matching.slice(0, shown);
  const figures = useRunFigures(visible);
  const rows = visible.map((run, index) => ({ ...run, figures: figures[index] ?? noFigures }));
  const mayStart = may("benchmarks:run") && may("models:read");
  const start = mayStart ? (
    <Button onClick={() => parameters.set({ new: "1" })}>{texts.benchmarks.newRun}</Button>
  ) : null;
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{texts.pages.benchmarks}</PageTitle>
        {start}
      </Group>
      <Filters runs={runs} />
      <DataTable
        name={texts.benchmarks.runs}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        query={{
          isPending: list.isPending,
          error: list.error,
          refetch: list.refetch,
          hasNextPage: matching.length > shown,
          fetchNextPage: () => setShown((count) => count + step),
        }}
        empty={
          runs.length > 0 ? (
            <Text>{texts.benchmarks.noRunsMatch}</Text>
          ) : (
            <EmptyState title={texts.benchmarks.noRuns}>{texts.benchmarks.noRunsHint}</EmptyState>
          )
        }
      />
      {mayStart && parameters.has("new") && <NewRun projectId={projectId} />}
    </Stack>
  );
}

const noFigures: RunFigures = { version: undefined, accuracy: undefined };

const columns: readonly Column<Row>[] = [
  {
    title: texts.benchmarks.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <PageLink
        href={`/${id}`}
        first={[prefetchCall(...firstRequests.run(id)), prefetchCall(...firstRequests.metrics(id))]}
      >
        {name}
      </PageLink>
    ),
  },
  {
    title: texts.benchmarks.status,
    value: ({ status }) => status,
    cell: ({ status }) => <RunStatus status={status} />,
  },
  {
    title: texts.benchmarks.accuracy,
    value: ({ figures }) => figures.accuracy ?? null,
    cell: ({ figures: { accuracy } }) =>
      typeof accuracy !== "number" ? (
        texts.none
      ) : (
        <Group gap="xs" wrap="nowrap">
          <RateBar rate={accuracy} />
          <span>{formatRate(accuracy)}</span>
        </Group>
      ),
  },
  { title: texts.benchmarks.files, value: ({ fileCount }) => fileCount, align: "right" },
  { title: texts.benchmarks.model, value: ({ deploymentName }) => deploymentName },
  { title: texts.benchmarks.version, value: ({ figures }) => figures.version ?? null, align: "right" },
  {
    title: texts.benchmarks.created,
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => formatTime(createdAt),
  },
];

function Filters({ runs }: { runs: readonly ExecutionSummary[] }) {
  const parameters = useParameters();
  if (runs.length === 0) return null;
  // Runs keep the name that their model had; the newest is the one that people know.
  const models = new Map(runs.toReversed().map(({ deploymentId, deploymentName }) => [deploymentId, deploymentName]));
  return (
    <Group>
      <Select
        label={texts.benchmarks.model}
        placeholder={texts.benchmarks.allModels}
        data={[...models].map(([value, label]) => ({ value, label }))}
        value={parameters.get("model") || null}
        onChange={(model) => parameters.set({ model: model ?? "" })}
        clearable
        searchable
      />
      <Select
        label={texts.benchmarks.status}
        placeholder={texts.benchmarks.allStatuses}
        data={Object.entries(texts.benchmarks.statuses).map(([value, label]) => ({ value, label }))}
        value={parameters.get("status") || null}
        onChange={(status) => parameters.set({ status: status ?? "" })}
        clearable
      />
    </Group>
  );
}
