import { Alert, Stack, Text } from "@mantine/core";
import type { TargetRoute } from "@switchyard/client";
import { useCall } from "../../../api/queries.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";

const words = texts.models;

const columns: readonly Column<TargetRoute>[] = [
  { title: words.affectedClassifier, value: ({ classifier }) => classifier?.name ?? null },
  { title: words.affectedRoute, value: ({ routeName }) => routeName },
  { title: words.affectedLeft, value: ({ candidatesLeft }) => candidatesLeft, align: "right" },
];

/** The routes that lead to a model or deployment, and what would be left of their classifiers without it. */
export function AffectedRoutes({ targetId, isGone = false }: { targetId: string; isGone?: boolean }) {
  const query = useCall("listTargetRoutes", { deploymentId: targetId }, { enabled: !isGone });
  const routes = query.data?.data ?? [];
  const emptied = new Set(
    routes.flatMap(({ classifier, candidatesLeft }) =>
      candidatesLeft === 0 && classifier !== null ? [classifier.name] : [],
    ),
  );
  return (
    <Stack gap="xs">
      {emptied.size > 0 && (
        <Alert color="yellow" role="status">
          {words.affectedEmpties([...emptied].join(", "))}
        </Alert>
      )}
      <Text size="sm" fw={600}>
        {words.affected}
      </Text>
      <DataTable
        name={words.affected}
        columns={columns}
        rows={routes}
        rowKey={({ routeId }) => routeId}
        query={query}
        empty={<Text size="sm">{words.affectedNone}</Text>}
      />
    </Stack>
  );
}
