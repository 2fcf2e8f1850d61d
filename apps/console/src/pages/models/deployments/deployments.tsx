import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Model, ModelDeployment } from "@switchyard/client";
import { useState } from "react";
import { firstRequests } from "../../../api/first-requests.ts";
import { useItems } from "../../../api/queries.ts";
import { DataTable } from "../../../table/data-table.tsx";
import { EmptyState } from "../../../table/empty-state.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { NewDeployment } from "./new-deployment.tsx";
import { ServeDialog } from "./serve-dialog.tsx";
import { Action, TargetActions } from "./target-actions.tsx";

const words = texts.models;

/** The deployments of a model, what each serves, and what can be done with it. */
export function Deployments({ model, mayEdit }: { model: Model; mayEdit: boolean }) {
  const { items: versions, query } = useItems(...firstRequests.versions(model.id));
  const [isCreating, { open, close }] = useDisclosure(false);
  const [promoted, setPromoted] = useState<ModelDeployment | undefined>(undefined);
  const columns: Column<ModelDeployment>[] = [
    { title: words.name, value: ({ name }) => name },
    { title: words.status, value: ({ status }) => (status === "PAUSED" ? words.paused : words.active) },
    {
      title: words.deployment.serves,
      value({ extractionSchemaId }) {
        if (query.isPending) return null;
        const served = versions.find((version) => version.extractionSchemaId === extractionSchemaId);
        return words.deployment.servesVersion(served?.version, served?.isCurrent ?? false);
      },
    },
  ];
  if (mayEdit)
    columns.push({
      title: words.actions,
      value: () => null,
      cell: (deployment) => (
        <TargetActions target={deployment}>
          <Action label={words.serve} name={words.serveOf(deployment.name)} onClick={() => setPromoted(deployment)} />
        </TargetActions>
      ),
    });
  const hasSchema = model.extractionSchemaId !== null;
  return (
    <Stack>
      {mayEdit && (
        <Group>
          <Button onClick={open} disabled={!hasSchema}>
            {words.deployment.create}
          </Button>
          {!hasSchema && <Text size="sm">{words.deployment.needsSchema}</Text>}
        </Group>
      )}
      <DataTable
        name={words.deployments}
        columns={columns}
        rows={model.deployments}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={words.deployment.empty}
            link={mayEdit && !hasSchema && { href: `/${model.id}`, label: words.versions.toSchema }}
          >
            {words.deployment.emptyHint}
          </EmptyState>
        }
      />
      <NewDeployment modelId={model.id} versions={versions} schemaId={undefined} opened={isCreating} onClose={close} />
      <ServeDialog deployment={promoted} versions={versions} onClose={() => setPromoted(undefined)} />
    </Stack>
  );
}
