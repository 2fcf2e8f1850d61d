import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Classifier } from "@switchyard/client";
import { useDeferredValue, useMemo } from "react";
import { firstRequests } from "../../api/first-requests.ts";
import { prefetchCall, useAllItems, useItems } from "../../api/queries.ts";
import { PageLink } from "../../controls/page-link.tsx";
import { useParameters } from "../../controls/parameters.ts";
import { usePermissions } from "../../session/session.ts";
import { DataTable } from "../../table/data-table.tsx";
import type { Column } from "../../table/data-table.tsx";
import { formatTime } from "../../format/times.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import type { ProjectPageProps } from "../project-page.ts";
import { NewClassifier } from "./new-classifier.tsx";
import { ScopeBadge } from "./scope-badge.tsx";

const words = texts.classifiers;

const columns: readonly Column<Classifier>[] = [
  {
    title: words.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <PageLink
        href={`/${id}`}
        first={[prefetchCall(...firstRequests.classifier(id)), prefetchCall(...firstRequests.routes(id))]}
      >
        {name}
      </PageLink>
    ),
  },
  {
    title: words.scope,
    value: ({ isGlobal }) => (isGlobal ? words.global : words.project),
    cell: ({ isGlobal }) => <ScopeBadge isGlobal={isGlobal} />,
  },
  { title: words.routes, value: ({ deploymentRoutes }) => deploymentRoutes.length, align: "right" },
  { title: words.projects, value: ({ routeProjects }) => routeProjects.map(({ name }) => name).join(", ") },
  { title: words.classifications, value: ({ classificationCount }) => classificationCount, align: "right" },
  { title: words.updated, value: ({ updatedAt }) => updatedAt, cell: ({ updatedAt }) => formatTime(updatedAt) },
];

/** The classifiers that a project may use. */
export function ClassifierList({ projectId }: ProjectPageProps) {
  const may = usePermissions();
  const parameters = useParameters();
  const [isCreating, { open, close }] = useDisclosure(false);
  const [search, scope] = [parameters.get("search"), parameters.get("scope")];
  const isFiltered = search.trim() !== "" || scope !== "";
  const { items, query, loadAll } = useItems(...firstRequests.classifiers(projectId));
  // The server does not search. Until all classifiers are there, those that are known already are searched.
  const all = useAllItems("listClassifiers", { projectId }, { enabled: isFiltered && query.hasNextPage });
  const known = isFiltered ? (all.data ?? items) : items;
  const sought = useDeferredValue(search);
  const rows = useMemo(() => select(known, sought, scope), [known, sought, scope]);
  const searched = { error: all.error, refetch: all.refetch, isPending: rows.length === 0 && all.isLoading };
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{texts.pages.classifiers}</PageTitle>
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
          label={words.scope}
          data={[
            { value: "", label: words.anyScope },
            { value: "project", label: words.project },
            { value: "global", label: words.global },
          ]}
          value={scope}
          onChange={(value) => parameters.set({ scope: value ?? "" })}
          allowDeselect={false}
          w={160}
        />
      </Group>
      <DataTable
        name={texts.pages.classifiers}
        columns={columns}
        rows={rows}
        loadAll={async (signal) => select(await loadAll(signal), search, scope)}
        rowKey={({ id }) => id}
        query={isFiltered && query.hasNextPage ? searched : query}
        empty={<Text>{isFiltered ? words.emptySearch : words.empty}</Text>}
      />
      <NewClassifier projectId={projectId} opened={isCreating} onClose={close} />
    </Stack>
  );
}

function select(all: readonly Classifier[], search: string, scope: string): readonly Classifier[] {
  const sought = search.trim().toLowerCase();
  return all.filter(
    ({ name, isGlobal }) => name.toLowerCase().includes(sought) && (scope === "" || isGlobal === (scope === "global")),
  );
}
