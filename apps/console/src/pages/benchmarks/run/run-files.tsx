import { Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { Execution, FileResultSummary } from "@switchyard/client";
import { firstRequests } from "../../../api/first-requests.ts";
import { prefetchCall } from "../../../api/queries.ts";
import { RateBar } from "../../../controls/bar.tsx";
import { PageLink } from "../../../controls/page-link.tsx";
import { useParameters } from "../../../controls/parameters.ts";
import { Status } from "../../../controls/status.tsx";
import { formatDuration, formatRate } from "../../../format/figures.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { useFileResults } from "./file-results.ts";
import { toWorstFirst } from "./order.ts";
import type { Shown } from "./order.ts";

const text = texts.benchmarks.results;
const { outcomes } = texts.benchmarks;

/** The files of a run, the worst first. */
export function RunFiles({ run }: { run: Execution }) {
  const parameters = useParameters();
  const results = useFileResults(run.id, run.status === "RUNNING");
  const shown = parameters.get("show") as Shown;
  const all = results.data ?? [];
  return (
    <Stack>
      <Title order={2} size="h4">
        {text.title}
      </Title>
      <Group>
        <SegmentedControl
          aria-label={text.show}
          value={shown}
          onChange={(value) => parameters.set({ show: value })}
          transitionDuration={0}
          data={[
            { value: "", label: text.all },
            { value: "errors", label: text.withErrors },
            { value: "failed", label: text.failed },
            { value: "left-out", label: text.leftOut },
          ]}
        />
      </Group>
      <DataTable
        name={text.title}
        columns={columnsOf(run.id, shown)}
        rows={toWorstFirst(all, shown)}
        rowKey={({ fileId }) => fileId}
        query={results}
        empty={<Text>{all.length === 0 ? text.none : text.noneMatch}</Text>}
      />
    </Stack>
  );
}

function columnsOf(executionId: string, shown: Shown): readonly Column<FileResultSummary>[] {
  const query = shown === "" ? "" : `?show=${shown}`;
  return [
    {
      title: text.file,
      value: ({ filename }) => filename,
      cell: ({ fileId, filename }) => (
        <PageLink
          href={`/${executionId}/files/${fileId}${query}`}
          first={[prefetchCall(...firstRequests.fileResult(executionId, fileId))]}
        >
          {filename}
        </PageLink>
      ),
    },
    { title: text.status, value: ({ status }) => status, cell: (file) => <Result {...file} /> },
    {
      title: texts.benchmarks.accuracy,
      value: ({ successRate }) => successRate,
      cell: ({ successRate }) =>
        successRate === null ? (
          texts.none
        ) : (
          <Group gap="xs" wrap="nowrap">
            <RateBar rate={successRate} />
            <span>{formatRate(successRate)}</span>
          </Group>
        ),
    },
    { title: outcomes.WRONG, value: (file) => file.outcomes?.wrong ?? null, align: "right" },
    { title: outcomes.INVENTED, value: (file) => file.outcomes?.invented ?? null, align: "right" },
    { title: outcomes.MISSING, value: (file) => file.outcomes?.missing ?? null, align: "right" },
    {
      title: text.duration,
      value: ({ extractMs }) => extractMs,
      cell: ({ extractMs }) => formatDuration(extractMs),
      align: "right",
    },
  ];
}

function Result({ status, exact, error }: FileResultSummary) {
  if (status === "SCORED")
    return exact ? <Status tone="good">{text.exact}</Status> : <Status tone="neutral">{text.statuses.SCORED}</Status>;
  return (
    <>
      <Status tone={status === "FAILED" ? "bad" : "neutral"}>{text.statuses[status]}</Status>
      {error !== null && (
        <Text size="xs">
          {error.code}: {error.message}
        </Text>
      )}
    </>
  );
}
