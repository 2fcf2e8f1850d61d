import { Group, Select, Stack, Tabs, Text } from "@mantine/core";
import type { ListProjectClassificationsRequest } from "@switchyard/client";
import { useSearchParams } from "wouter";
import { useProjectEvents } from "../../api/project-events.ts";
import { firstRequests } from "../../api/first-requests.ts";
import { usePartAhead } from "../../api/prefetching.ts";
import { prefetchItems, useCall, useItems } from "../../api/queries.ts";
import type { Prefetch } from "../../api/queries.ts";
import { ClassifierChoice } from "../../controls/classifier-choice.tsx";
import { usePermissions } from "../../session/session.ts";
import { DataTable } from "../../table/data-table.tsx";
import { EmptyState } from "../../table/empty-state.tsx";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import type { ProjectPageProps } from "../project-page.ts";
import { classificationColumns, extractionColumns, reviewColumns } from "./columns.tsx";

const lists = ["review", "classifications", "extractions"] as const satisfies readonly string[];
type List = (typeof lists)[number];

/** The lists of a project: what should be reviewed, and everything that came in. Filters are in the address. */
export function Lists({ projectId }: ProjectPageProps) {
  const [parameters, setParameters] = useSearchParams();
  useProjectEvents(projectId);
  const ahead = usePartAhead();
  const list = lists.find((each) => each === parameters.get("list")) ?? "review";
  const filters = Object.fromEntries([...parameters].filter(([name]) => name !== "list"));
  const setFilter = (name: string, value: string | null): void =>
    setParameters((before) => {
      const next = new URLSearchParams(before);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    });
  return (
    <Stack>
      <PageTitle part={list === "review" ? undefined : texts.inbox.lists[list]}>{texts.pages.inbox}</PageTitle>
      <Tabs value={list} onChange={(value) => setParameters(value === null ? {} : { list: value })}>
        <Tabs.List>
          {lists.map((each) => (
            <Tabs.Tab key={each} value={each} {...ahead(each === list ? [] : firstOf(each, projectId))}>
              {texts.inbox.lists[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={list} pt="md">
          <Body key={list} {...{ list, projectId, filters, setFilter }} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** What a list requests first without filters. */
function firstOf(list: List, projectId: string): readonly Prefetch[] {
  switch (list) {
    case "review":
      return [prefetchItems(...firstRequests.review(projectId))];
    case "classifications":
      return [prefetchItems(...firstRequests.classifications(projectId))];
    case "extractions":
      return [prefetchItems(...firstRequests.extractions(projectId))];
  }
}

interface BodyProps {
  readonly projectId: string;
  readonly filters: Readonly<Record<string, string>>;
  readonly setFilter: (name: string, value: string | null) => void;
}

function Body({ list, ...props }: BodyProps & { list: List }) {
  if (list === "review") return <ReviewList {...props} />;
  return list === "classifications" ? <Classifications {...props} /> : <Extractions {...props} />;
}

function ReviewList({ projectId, filters, setFilter }: BodyProps) {
  const { kind } = filters as { kind?: "CLASSIFICATION" | "EXTRACTION" };
  const { items, query, loadAll } = useItems(...firstRequests.review(projectId, { kind }), { repeatMs: refreshMs });
  return (
    <Stack>
      <Group>
        <Filter
          label={texts.inbox.kind}
          value={kind}
          values={texts.inbox.kinds}
          onChange={(value) => setFilter("kind", value)}
        />
      </Group>
      <DataTable
        name={texts.inbox.lists.review}
        columns={reviewColumns}
        rows={items}
        loadAll={loadAll}
        rowKey={({ classificationId, extractionId }) => `${classificationId} ${extractionId}`}
        query={query}
        empty={<Nothing projectId={projectId} isFiltered={kind !== undefined} {...texts.inbox.nothingToReview} />}
      />
    </Stack>
  );
}

function Classifications({ projectId, filters, setFilter }: BodyProps) {
  const { status, reason, classifierId } = filters as Omit<ListProjectClassificationsRequest, "projectId">;
  const { items, query, loadAll } = useItems(
    ...firstRequests.classifications(projectId, { status, reason, classifierId }),
    { repeatMs: refreshMs },
  );
  return (
    <Stack>
      <Group>
        <Filter
          label={texts.inbox.status}
          value={status}
          values={texts.inbox.statuses}
          onChange={(value) => setFilter("status", value)}
        />
        <Filter
          label={texts.inbox.reason}
          value={reason}
          values={texts.inbox.reasons}
          onChange={(value) => setFilter("reason", value)}
        />
        <ClassifierChoice
          projectId={projectId}
          label={texts.inbox.classifier}
          value={classifierId ?? null}
          onChange={(value) => setFilter("classifierId", value)}
          any={{ placeholder: texts.inbox.any, clear: texts.inbox.showAny(texts.inbox.classifier) }}
        />
      </Group>
      <DataTable
        name={texts.inbox.lists.classifications}
        columns={classificationColumns}
        rows={items}
        loadAll={loadAll}
        rowKey={({ id }) => id}
        query={query}
        empty={
          <Nothing
            projectId={projectId}
            isFiltered={Object.keys(filters).length > 0}
            {...texts.inbox.noClassifications}
          />
        }
      />
    </Stack>
  );
}

function Extractions({ projectId, filters, setFilter }: BodyProps) {
  const { status, deploymentId } = filters as { status?: "RUNNING" | "COMPLETED" | "FAILED"; deploymentId?: string };
  const models = useCall(...firstRequests.models(projectId));
  const { items, query, loadAll } = useItems(...firstRequests.extractions(projectId, { status, deploymentId }), {
    repeatMs: refreshMs,
  });
  const names = Object.fromEntries((models.data?.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <Stack>
      <Group>
        <Filter
          label={texts.inbox.status}
          value={status}
          values={texts.inbox.extractionStatuses}
          onChange={(value) => setFilter("status", value)}
        />
        <Filter
          label={texts.inbox.model}
          value={deploymentId}
          values={names}
          onChange={(value) => setFilter("deploymentId", value)}
        />
      </Group>
      <DataTable
        name={texts.inbox.lists.extractions}
        columns={extractionColumns(names)}
        rows={items}
        loadAll={loadAll}
        rowKey={({ id }) => id}
        query={query}
        empty={
          <Nothing projectId={projectId} isFiltered={Object.keys(filters).length > 0} {...texts.inbox.noExtractions} />
        }
      />
    </Stack>
  );
}

interface NothingProps {
  readonly projectId: string;
  readonly isFiltered: boolean;
  readonly title: string;
  readonly hint: string;
}

function Nothing({ projectId, isFiltered, title, hint }: NothingProps) {
  const mayTry = usePermissions()("classify");
  if (isFiltered) return <Text>{texts.inbox.noneMatch}</Text>;
  return (
    <EmptyState
      title={title}
      link={mayTry && { href: `~/console/projects/${projectId}/try-it`, label: texts.inbox.tryDocument }}
    >
      {hint}
    </EmptyState>
  );
}

/** How often a list is requested again without an event, in milliseconds: events can be lost with a connection. */
const refreshMs = 60_000;

function Filter({
  label,
  value,
  values,
  onChange,
}: {
  label: string;
  value: string | undefined;
  values: Readonly<Record<string, string>>;
  onChange: (value: string | null) => void;
}) {
  return (
    <Select
      label={label}
      value={value ?? null}
      data={Object.entries(values).map(([key, name]) => ({ value: key, label: name }))}
      onChange={onChange}
      placeholder={texts.inbox.any}
      clearable
      clearButtonProps={{ "aria-label": texts.inbox.showAny(label) }}
      searchable
    />
  );
}
