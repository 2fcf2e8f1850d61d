import { Anchor, Button, Group, Stack, Switch, Text, Title } from "@mantine/core";
import type { CellResult, Execution } from "@switchyard/client";
import { Link } from "wouter";
import { firstRequests } from "../../../api/first-requests.ts";
import { usePartAhead } from "../../../api/prefetching.ts";
import { prefetchCall, useCall } from "../../../api/queries.ts";
import { useParameters } from "../../../controls/parameters.ts";
import { prefetchPicture } from "../../../document/page-picture.ts";
import { formatRate, formatValue } from "../../../format/figures.ts";
import { usePermissions } from "../../../session/session.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { toKey } from "../cells/cell-marks.ts";
import { CellView } from "../cells/cell-view.tsx";
import { useFileResults } from "./file-results.ts";
import { Outcome } from "./outcome.tsx";
import { getNeighbors, isError, toWorstFirst } from "./order.ts";
import type { Shown } from "./order.ts";

const text = texts.benchmarks.cells;

/** The cells of a file: what was accepted, what was extracted, and how they compare. */
export function FileCells({ run, fileId }: { run: Execution; fileId: string }) {
  const parameters = useParameters();
  const result = useCall(...firstRequests.fileResult(run.id, fileId));
  const mayRead = usePermissions()("documents:read");
  const chosen = parameters.get("cell");
  const onlyErrors = parameters.get("cells") === "errors";
  const cells = result.data?.cells ?? [];
  const rows = onlyErrors ? cells.filter(isError) : cells;
  const { status, error, filename, successRate } = result.data ?? {};
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {filename ?? text.title} {typeof successRate === "number" ? `(${formatRate(successRate)})` : ""}
        </Title>
        <Neighbors run={run} fileId={fileId} />
      </Group>
      <Group>
        <Switch
          label={text.onlyErrors}
          checked={onlyErrors}
          onChange={(event) => parameters.set({ cells: event.currentTarget.checked ? "errors" : "" })}
        />
        <DocumentLink run={run} fileId={fileId} />
      </Group>
      {error ? (
        <Text role="alert">
          <b>{error.code}</b>: {error.message}
        </Text>
      ) : null}
      {status === "LEFT_OUT" && <Text>{texts.benchmarks.results.leftOutNote}</Text>}
      {mayRead && chosen !== "" && (
        <CellView fileId={fileId} cells={rows} chosen={chosen} onChoose={(cell) => parameters.set({ cell })} />
      )}
      <DataTable
        name={text.title}
        columns={mayRead ? withLinks(fileId, (cell) => parameters.link({ cell })) : columns}
        rows={rows}
        rowKey={toKey}
        query={result}
        empty={<Text>{cells.length === 0 ? text.none : text.noErrors}</Text>}
      />
    </Stack>
  );
}

const columns: readonly Column<CellResult>[] = [
  { title: texts.benchmarks.run.table, value: ({ table }) => table },
  { title: text.row, value: ({ row }) => row + 1, align: "right" },
  { title: texts.benchmarks.run.column, value: ({ column }) => column },
  {
    title: text.expected,
    value: ({ expected }) => toExported(expected),
    cell: ({ expected }) => formatValue(expected),
  },
  { title: text.actual, value: ({ actual }) => toExported(actual), cell: ({ actual }) => formatValue(actual) },
  {
    title: text.outcome,
    value: ({ outcome }) => outcome,
    cell: ({ outcome }) => <Outcome outcome={outcome} />,
  },
  {
    title: text.similarity,
    value: ({ similarity }) => similarity,
    cell: ({ similarity }) => formatRate(similarity),
    align: "right",
  },
];

/** The columns, with a link from each cell to its place in the document. */
function withLinks(fileId: string, linkTo: (key: string) => string): readonly Column<CellResult>[] {
  return columns.map((column) =>
    column.title === texts.benchmarks.run.column
      ? {
          ...column,
          cell: (cell: CellResult) => <CellLink fileId={fileId} cell={cell} href={linkTo(toKey(cell))} />,
        }
      : column,
  );
}

/** A link to the place of a cell in the document, of which the page is requested as soon as someone points to the link. */
function CellLink({ fileId, cell, href }: { fileId: string; cell: CellResult; href: string }) {
  const ahead = usePartAhead();
  const { table, row, column, evidence } = cell;
  const first = [prefetchCall(...firstRequests.fileText(fileId)), prefetchPicture(fileId, evidence?.page ?? 1)];
  return (
    <Anchor component={Link} href={href} inherit aria-label={text.showCell(table, row + 1, column)} {...ahead(first)}>
      {column}
    </Anchor>
  );
}

function toExported(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === "number" || typeof value === "boolean" ? value : formatValue(value);
}

/** The way to the next file, in the order and with the filter of the list that the caller came from. */
function Neighbors({ run, fileId }: { run: Execution; fileId: string }) {
  const parameters = useParameters();
  const shown = parameters.get("show") as Shown;
  const files = useFileResults(run.id, run.status === "RUNNING").data ?? [];
  const { previous, next } = getNeighbors(toWorstFirst(files, shown), fileId);
  const cells = parameters.get("cells");
  const query = new URLSearchParams({ ...(shown && { show: shown }), ...(cells && { cells }) }).toString();
  const to = (id: string): string => `/${run.id}/files/${id}${query === "" ? "" : `?${query}`}`;
  return (
    <Group gap="xs">
      <Anchor component={Link} href={`/${run.id}/files${shown === "" ? "" : `?show=${shown}`}`} size="sm">
        {text.allFiles}
      </Anchor>
      {previous !== undefined && (
        <Button component={Link} href={to(previous)} variant="default" size="compact-md">
          {text.previous}
        </Button>
      )}
      {next !== undefined && (
        <Button component={Link} href={to(next)} variant="default" size="compact-md">
          {text.next}
        </Button>
      )}
    </Group>
  );
}

/** The link to the page on which the file is corrected: that of its last extraction with the model. */
function DocumentLink({ run, fileId }: { run: Execution; fileId: string }) {
  const mayRead = usePermissions()("documents:read");
  const { projectId, deploymentId } = run;
  const extractions = useCall(
    "listExtractions",
    { projectId, fileId, deploymentId, status: "COMPLETED", limit: 1 },
    { enabled: mayRead },
  );
  const extraction = extractions.data?.data[0];
  if (extraction === undefined) return null;
  return (
    <Anchor component={Link} href={`~/console/projects/${projectId}/inbox/extractions/${extraction.id}`}>
      {text.document}
    </Anchor>
  );
}
