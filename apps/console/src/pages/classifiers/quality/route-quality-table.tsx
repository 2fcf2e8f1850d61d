import { Stack, Title } from "@mantine/core";
import type { QualityInterval, RouteQuality } from "@switchyard/client";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { formatRate } from "../../../format/figures.ts";
import { texts } from "../../../texts/index.ts";

const words = texts.quality;

const columns: readonly Column<RouteQuality>[] = [
  { title: words.route, value: ({ routeName }) => routeName },
  { title: words.support, value: ({ support }) => support, align: "right" },
  {
    title: words.precision,
    value: ({ precision }) => precision,
    cell: ({ precision }) => formatRate(precision),
    align: "right",
  },
  {
    title: words.precisionInterval,
    value: ({ precisionCi95 }) => formatInterval(precisionCi95),
    align: "right",
  },
  { title: words.recall, value: ({ recall }) => recall, cell: ({ recall }) => formatRate(recall), align: "right" },
  { title: words.recallInterval, value: ({ recallCi95 }) => formatInterval(recallCi95), align: "right" },
];

/** How precisely and how completely documents were routed to each route. */
export function RouteQualityTable({ routes }: { routes: readonly RouteQuality[] }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {words.routes}
      </Title>
      <DataTable name={words.routes} columns={columns} rows={routes} rowKey={({ routeId }) => routeId} empty={null} />
    </Stack>
  );
}

function formatInterval(interval: QualityInterval | null): string | null {
  return interval && words.interval(formatRate(interval.low), formatRate(interval.high));
}
