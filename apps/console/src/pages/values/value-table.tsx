import { Anchor, Text } from "@mantine/core";
import type { Configuration, ValueRow } from "@switchyard/client";
import { Link } from "wouter";
import { firstRequests } from "../../api/first-requests.ts";
import { useCall, useItems } from "../../api/queries.ts";
import { useParameters } from "../../controls/parameters.ts";
import { Status } from "../../controls/status.tsx";
import { formatValue } from "../../format/figures.ts";
import { formatTime } from "../../format/times.ts";
import { usePermissions } from "../../session/session.ts";
import { DataTable } from "../../table/data-table.tsx";
import { EmptyState } from "../../table/empty-state.tsx";
import type { Column } from "../../table/data-table.tsx";
import { texts } from "../../texts/index.ts";
import { filterNames, getStatus, toSelection } from "./filters.ts";
import type { ValueStatus } from "./filters.ts";
import { useReviewList } from "./review-list.ts";

const text = texts.values;

/** The rows of a table over all files of a model, newest first. */
export function ValueTable({ projectId, modelId }: { projectId: string; modelId: string }) {
  const parameters = useParameters();
  const may = usePermissions();
  const selection = toSelection(modelId, parameters);
  const configuration = useCall(...firstRequests.configuration(modelId), { enabled: may("models:read") });
  const { items, query, loadAll } = useItems(...firstRequests.values(selection));
  const review = useReviewList(selection, items);
  const isFiltered = filterNames.some((name) => parameters.has(name));
  const columns = [
    fileColumn(projectId),
    statusColumn((row) => getStatus(row, selection.status, review)),
    ...valueColumns(slugsOf(configuration.data, selection.table, items)),
    {
      title: text.stored,
      value: ({ createdAt }: ValueRow) => createdAt,
      cell: ({ createdAt }: ValueRow) => formatTime(createdAt),
    },
  ];
  return (
    <DataTable
      name={text.name}
      columns={columns}
      rows={items}
      loadAll={loadAll}
      rowKey={({ fileId, row }) => `${fileId} ${row}`}
      query={query}
      empty={isFiltered ? <Text>{text.noneMatch}</Text> : <NoValues projectId={projectId} />}
    />
  );
}

interface ValueColumn {
  readonly slug: string;
  readonly title: string;
}

/** The columns of a table in the order of the configuration; for a caller who may not read it, those of the values. */
function slugsOf(
  configuration: Configuration | undefined,
  table: string | undefined,
  rows: readonly ValueRow[],
): ValueColumn[] {
  const shown = configuration?.tables.find(({ slug, isPrimary }) => (table === undefined ? isPrimary : slug === table));
  if (configuration === undefined || shown === undefined)
    return Object.keys(rows[0]?.values ?? {}).map((slug) => ({ slug, title: slug }));
  return configuration.columns.filter(({ tableId }) => tableId === shown.id).map(({ slug }) => ({ slug, title: slug }));
}

function valueColumns(columns: readonly ValueColumn[]): Column<ValueRow>[] {
  return columns.map(({ slug, title }) => ({
    title,
    value: ({ values }) => {
      const value = values[slug];
      if (value === null || value === undefined) return null;
      return typeof value === "number" || typeof value === "boolean" ? value : formatValue(value);
    },
  }));
}

function fileColumn(projectId: string): Column<ValueRow> {
  return {
    title: text.file,
    value: ({ filename }) => filename,
    cell: ({ filename, extractionId }) =>
      extractionId === null ? (
        filename
      ) : (
        <Anchor component={Link} href={`~/console/projects/${projectId}/inbox/extractions/${extractionId}`}>
          {filename}
        </Anchor>
      ),
  };
}

function statusColumn(of: (row: ValueRow) => ValueStatus | undefined): Column<ValueRow> {
  const words = (row: ValueRow): string => {
    const status = of(row);
    return status === undefined ? text.notAccepted : text.statuses[status];
  };
  return {
    title: text.status,
    value: words,
    cell: (row) => <Status tone={tones[of(row) ?? "UNREVIEWED"]}>{words(row)}</Status>,
  };
}

const tones = { ACCEPTED: "good", NEEDS_REVIEW: "waiting", UNREVIEWED: "neutral" } as const;

function NoValues({ projectId }: { projectId: string }) {
  const mayTry = usePermissions()("classify");
  return (
    <EmptyState
      title={text.none}
      link={mayTry && { href: `~/console/projects/${projectId}/try-it`, label: text.tryDocument }}
    >
      {text.noneHint}
    </EmptyState>
  );
}
