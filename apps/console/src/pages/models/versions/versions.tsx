import { Anchor, Group, Stack } from "@mantine/core";
import type { ConfigurationVersion, Model } from "@switchyard/client";
import { useState } from "react";
import { Link } from "wouter";
import { firstRequests } from "../../../api/first-requests.ts";
import { useItems } from "../../../api/queries.ts";
import { usePermissions } from "../../../session/session.ts";
import { DataTable } from "../../../table/data-table.tsx";
import { EmptyState } from "../../../table/empty-state.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { formatTime } from "../../../format/times.ts";
import { texts } from "../../../texts/index.ts";
import { NewDeployment } from "../deployments/new-deployment.tsx";
import { Action } from "../deployments/target-actions.tsx";
import { VersionComparison } from "./version-comparison.tsx";

const words = texts.models.versions;

const shown: readonly Column<ConfigurationVersion>[] = [
  {
    title: words.version,
    value: ({ version }) => version,
    cell: ({ version, isCurrent }) => (isCurrent ? `${version} (${words.current})` : version),
  },
  {
    title: words.servedBy,
    value: ({ servedBy }) => servedBy.map(({ name }) => name).join(", "),
    cell: ({ servedBy }) => (servedBy.length === 0 ? texts.none : servedBy.map(({ name }) => name).join(", ")),
  },
  { title: texts.models.tables, value: ({ tableCount }) => tableCount, align: "right" },
  { title: words.columns, value: ({ columnCount }) => columnCount, align: "right" },
  { title: words.created, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatTime(createdAt) },
  { title: words.createdBy, value: ({ createdBy }) => createdBy },
];

/** What the versions of a schema need. */
export interface VersionsProps {
  readonly projectId: string;
  readonly model: Model;
  readonly mayEdit: boolean;
}

/** The versions of a model's schema, and how two of them differ. */
export function Versions({ projectId, model, mayEdit }: VersionsProps) {
  const may = usePermissions();
  const { items: versions, query } = useItems(...firstRequests.versions(model.id));
  const [deployed, setDeployed] = useState<string | undefined>(undefined);
  const mayRun = may("benchmarks:run");
  const columns: Column<ConfigurationVersion>[] = [...shown];
  if (mayEdit || mayRun)
    columns.push({
      title: texts.models.actions,
      value: () => null,
      cell: ({ extractionSchemaId, version }) => (
        <Group gap="sm">
          {mayEdit && (
            <Action
              label={words.deploy}
              name={words.deployOf(version)}
              onClick={() => setDeployed(extractionSchemaId)}
            />
          )}
          {mayRun && (
            <Anchor
              component={Link}
              href={`~/console/projects/${projectId}/benchmarks?new&deploymentId=${model.id}&extractionSchemaId=${extractionSchemaId}`}
              aria-label={words.benchmarkOf(version)}
              size="sm"
            >
              {words.benchmark}
            </Anchor>
          )}
        </Group>
      ),
    });
  return (
    <Stack>
      <DataTable
        name={texts.models.tabs.versions}
        columns={columns}
        rows={versions}
        rowKey={({ extractionSchemaId }) => extractionSchemaId}
        query={query}
        empty={
          <EmptyState title={words.empty} link={mayEdit && { href: `/${model.id}`, label: words.toSchema }}>
            {words.emptyHint}
          </EmptyState>
        }
      />
      {versions.length > 1 && <VersionComparison modelId={model.id} versions={versions} />}
      <NewDeployment
        modelId={model.id}
        versions={versions}
        schemaId={deployed}
        opened={deployed !== undefined}
        onClose={() => setDeployed(undefined)}
      />
    </Stack>
  );
}
