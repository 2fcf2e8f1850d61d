import { Anchor, Card, Group, Loader, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { Classification } from "@switchyard/client";
import { Link } from "wouter";
import { Problem } from "../../api/problem.tsx";
import { useCall } from "../../api/queries.ts";
import { RouteScores } from "../../document/route-scores.tsx";
import { formatDuration, formatValue } from "../../format/figures.ts";
import { DataTable } from "../../table/data-table.tsx";
import type { Column } from "../../table/data-table.tsx";
import { texts } from "../../texts/index.ts";

/** A document that was sent, and its outcome. */
export interface Attempt {
  readonly key: string;
  readonly filename: string;
  readonly state:
    | { readonly kind: "sending" }
    | { readonly kind: "failed"; readonly error: unknown }
    | { readonly kind: "decided"; readonly record: Classification };
}

/** The documents that were sent, newest first. */
export function Outcomes({ projectId, attempts }: { projectId: string; attempts: readonly Attempt[] }) {
  return (
    <Stack aria-live="polite">
      {attempts.map(({ key, filename, state }) => (
        <Card key={key} withBorder component="article" aria-label={filename}>
          <Group justify="space-between">
            <Title order={2} size="h4">
              {filename}
            </Title>
            {state.kind === "sending" && <Loader size="sm" aria-label={texts.tryIt.sending} />}
          </Group>
          {state.kind === "failed" && <Problem error={state.error} />}
          {state.kind === "decided" && <Outcome projectId={projectId} record={state.record} />}
        </Card>
      ))}
    </Stack>
  );
}

function Outcome({ projectId, record }: { projectId: string; record: Classification }) {
  const { classifierId, id, routeName, reason, timings, scores, extraction, warnings } = record;
  const best = scores[0];
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} mt="sm">
      <Stack gap="xs">
        <Text fw={700}>{routeName ?? (reason && texts.inbox.reasons[reason.code])}</Text>
        {reason !== null && <Text size="sm">{reason.message}</Text>}
        {best !== undefined && best.ineligibleReason !== null && best.score !== null && (
          <Text size="sm">
            {texts.tryIt.wouldHaveWon(best.routeName, texts.review.exclusions[best.ineligibleReason])}
          </Text>
        )}
        {warnings.map(({ code, message }) => (
          <Text key={code + message} size="sm">
            {message}
          </Text>
        ))}
        {timings !== null && <Text size="sm">{texts.tryIt.duration(formatDuration(timings.totalMs))}</Text>}
        <Anchor component={Link} href={`~/console/projects/${projectId}/inbox/classifications/${classifierId}/${id}`}>
          {texts.tryIt.review}
        </Anchor>
        <RouteScores record={record} />
      </Stack>
      {extraction !== null && record.projectId !== null && (
        <Values projectId={record.projectId} extractionId={extraction.id} />
      )}
    </SimpleGrid>
  );
}

/** A value of the first row of a table. */
interface FirstValue {
  readonly name: string;
  readonly value: unknown;
  /** The number of rows after the first. */
  readonly more: number;
}

const columns: readonly Column<FirstValue>[] = [
  { title: texts.tryIt.column, value: ({ name }) => name },
  {
    title: texts.tryIt.value,
    value: ({ value }) => formatValue(value),
    cell: ({ value, more }) => `${formatValue(value)}${more > 0 ? ` (${texts.tryIt.moreRows(more)})` : ""}`,
  },
];

/** The values that the routed model extracted, as soon as they are there. */
function Values({ projectId, extractionId }: { projectId: string; extractionId: string }) {
  const extraction = useCall(
    "getExtraction",
    { extractionId },
    { repeatMs: (latest) => latest?.status === "RUNNING" && 1_000 },
  );
  const { data } = extraction;
  if (data === undefined)
    return extraction.error === null ? (
      <Loader size="sm" aria-label={texts.table.loading} />
    ) : (
      <Problem error={extraction.error} retry={() => void extraction.refetch()} />
    );
  if (data.status === "RUNNING") return <Loader size="sm" aria-label={texts.review.running} />;
  if (data.status === "FAILED") return <Text size="sm">{data.error?.message}</Text>;
  const rows = data.tables.flatMap(({ slug, rows: all }) =>
    all.length === 0
      ? []
      : Object.entries(all[0]?.values ?? {}).map(([column, value]) => ({
          name: `${slug}.${column}`,
          value,
          more: all.length - 1,
        })),
  );
  return (
    <Stack gap="xs">
      <DataTable
        name={texts.tryIt.values}
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        empty={<Text size="sm">{texts.review.noValue}</Text>}
      />
      <Anchor component={Link} href={`~/console/projects/${projectId}/inbox/extractions/${extractionId}`}>
        {texts.review.openExtraction}
      </Anchor>
    </Stack>
  );
}
