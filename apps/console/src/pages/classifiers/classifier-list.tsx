import { Anchor, Button, Group, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Classifier } from "@switchyard/client";
import { useDeferredValue, useMemo } from "react";
import { Link, useSearchParams } from "wouter";
import { useCall } from "../../api/queries.ts";
import { usePermissions } from "../../session/session.ts";
import { DataTable } from "../../table/data-table.tsx";
import type { Column } from "../../table/data-table.tsx";
import { formatTime } from "../../format/times.ts";
import { texts } from "../../texts/index.ts";
import type { ProjectPageProps } from "../pages.ts";
import { NewClassifier } from "./new-classifier.tsx";
import { ScopeBadge } from "./scope-badge.tsx";

const words = texts.classifiers;

const columns: readonly Column<Classifier>[] = [
  {
    title: words.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} href={`/${id}`} inherit>
        {name}
      </Anchor>
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
  const [parameters, setParameters] = useSearchParams();
  const [isCreating, { open, close }] = useDisclosure(false);
  const query = useCall("listClassifiers", { projectId });
  const search = parameters.get("search") ?? "";
  const scope = parameters.get("scope");
  const sought = useDeferredValue(search);
  const rows = useMemo(() => select(query.data ?? [], sought, scope), [query.data, sought, scope]);
  const set = (name: string, value: string): void =>
    setParameters(
      (previous) => {
        if (value === "") previous.delete(name);
        else previous.set(name, value);
        return previous;
      },
      { replace: true },
    );
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {texts.pages.classifiers}
        </Title>
        {may("models:edit") && <Button onClick={open}>{words.create}</Button>}
      </Group>
      <Text size="sm">{words.intro}</Text>
      <Group align="end">
        <TextInput
          label={words.search}
          value={search}
          onChange={(event) => set("search", event.currentTarget.value)}
          w={260}
        />
        <Select
          label={words.scope}
          data={[
            { value: "", label: words.anyScope },
            { value: "project", label: words.project },
            { value: "global", label: words.global },
          ]}
          value={scope ?? ""}
          onChange={(value) => set("scope", value ?? "")}
          allowDeselect={false}
          w={160}
        />
      </Group>
      <DataTable
        name={texts.pages.classifiers}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        query={query}
        empty={<Text>{query.data?.length === 0 ? words.empty : words.emptySearch}</Text>}
      />
      <NewClassifier projectId={projectId} opened={isCreating} onClose={close} />
    </Stack>
  );
}

function select(all: readonly Classifier[], search: string, scope: string | null): readonly Classifier[] {
  const sought = search.trim().toLowerCase();
  return all.filter(
    ({ name, isGlobal }) =>
      name.toLowerCase().includes(sought) && (scope === null || isGlobal === (scope === "global")),
  );
}
