import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Model } from "@switchyard/client";
import { useLocation } from "wouter";
import { firstRequests } from "../../api/first-requests.ts";
import { prefetchCall, useCall, useChange } from "../../api/queries.ts";
import { PageLink } from "../../controls/page-link.tsx";
import { useParameters } from "../../controls/parameters.ts";
import { usePermissions } from "../../session/session.ts";
import { DataTable } from "../../table/data-table.tsx";
import type { Column } from "../../table/data-table.tsx";
import { formatTime } from "../../format/times.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import type { ProjectPageProps } from "../project-page.ts";
import { NameDialog } from "./name-dialog.tsx";

const words = texts.models;

const columns: readonly Column<Model>[] = [
  {
    title: words.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <PageLink href={`/${id}`} first={[prefetchCall(...firstRequests.configuration(id))]}>
        {name}
      </PageLink>
    ),
  },
  { title: words.status, value: ({ status }) => (status === "PAUSED" ? words.paused : words.active) },
  {
    title: words.tables,
    value: ({ extractionSchemaId, tableCount }) => (extractionSchemaId === null ? words.noSchema : tableCount),
  },
  {
    title: words.deployments,
    value: ({ deployments }) =>
      deployments.map(({ name, status }) => words.deploymentWithStatus(name, status === "PAUSED")).join(", "),
    cell: ({ deployments }) =>
      deployments.length === 0
        ? texts.none
        : deployments.map(({ name, status }) => words.deploymentWithStatus(name, status === "PAUSED")).join(", "),
  },
  { title: words.updated, value: ({ updatedAt }) => updatedAt, cell: ({ updatedAt }) => formatTime(updatedAt) },
];

/** The models of a project with their deployments. */
export function ModelList({ projectId }: ProjectPageProps) {
  const may = usePermissions();
  const parameters = useParameters();
  const [, navigate] = useLocation();
  const [isCreating, { open, close }] = useDisclosure(false);
  const query = useCall(...firstRequests.models(projectId));
  const creation = useChange("createModel");
  const search = parameters.get("search");
  const status = parameters.get("status");
  const rows = (query.data?.data ?? []).filter(
    (model) =>
      model.name.toLowerCase().includes(search.trim().toLowerCase()) && (status === "" || model.status === status),
  );
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{texts.pages.models}</PageTitle>
        {may("models:edit") && <Button onClick={open}>{words.create}</Button>}
      </Group>
      <Text size="sm">{words.intro}</Text>
      <Group align="end">
        <TextInput
          label={words.search}
          value={search}
          onChange={(event) => parameters.set({ search: event.currentTarget.value })}
          w={260}
        />
        <Select
          label={words.statusFilter}
          data={[
            { value: "", label: words.anyStatus },
            { value: "ACTIVE", label: words.active },
            { value: "PAUSED", label: words.paused },
          ]}
          value={status}
          onChange={(value) => parameters.set({ status: value ?? "" })}
          allowDeselect={false}
          w={160}
        />
      </Group>
      <DataTable
        name={texts.pages.models}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        query={query}
        empty={<Text>{query.data?.data.length === 0 ? words.empty : words.emptySearch}</Text>}
      />
      <NameDialog
        opened={isCreating}
        title={words.create}
        hint={words.createHint}
        name=""
        label={texts.actions.create}
        change={creation}
        onName={(name) => creation.mutate({ projectId, name }, { onSuccess: ({ id }) => navigate(`/${id}`) })}
        onClose={close}
      />
    </Stack>
  );
}
