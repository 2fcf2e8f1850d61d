import { Anchor, Badge, Text } from "@mantine/core";
import type { Classification, ExtractionSummary, ReviewItem } from "@switchyard/client";
import { Link } from "wouter";
import { RateBar } from "../../controls/bar.tsx";
import type { Column } from "../../table/data-table.tsx";
import { formatRate } from "../../format/figures.ts";
import { formatTime } from "../../format/times.ts";
import { texts } from "../../texts/index.ts";
import { reviewPath } from "./review-path.ts";

/** The columns of the review list. */
export const reviewColumns: readonly Column<ReviewItem>[] = [
  {
    title: texts.inbox.document,
    value: ({ filename }) => filename,
    cell: (item) => (
      <Anchor component={Link} href={reviewPath(item)}>
        {item.filename}
      </Anchor>
    ),
  },
  { title: texts.inbox.kind, value: ({ kind }) => texts.inbox.kinds[kind] },
  { title: texts.inbox.reason, value: ({ reason }) => reason?.message ?? null },
  confidenceColumn(),
  { title: texts.inbox.time, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatTime(createdAt) },
];

/** The columns of classification records. */
export const classificationColumns: readonly Column<Classification>[] = [
  {
    title: texts.inbox.document,
    value: ({ filename }) => filename,
    cell: ({ classifierId, id, filename }) => (
      <Anchor component={Link} href={`/classifications/${classifierId}/${id}`}>
        {filename}
      </Anchor>
    ),
  },
  {
    title: texts.inbox.route,
    value: ({ routeName, reason }) => routeName ?? reason?.code ?? null,
    cell: ({ routeName, reason }) =>
      routeName === null ? (
        <Badge color="gray" variant="light" title={reason?.message}>
          {reason === null ? texts.inbox.statuses.UNCLASSIFIED : texts.inbox.reasons[reason.code]}
        </Badge>
      ) : (
        <Text size="sm">{routeName}</Text>
      ),
  },
  { title: texts.inbox.target, value: ({ deploymentName }) => deploymentName },
  confidenceColumn(),
  {
    title: texts.inbox.reviewed,
    value: ({ review }) => (review === null ? null : texts.inbox.yes),
  },
  { title: texts.inbox.time, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatTime(createdAt) },
];

/** The columns of extractions, with the names of models by their IDs. */
export function extractionColumns(models: Readonly<Record<string, string>>): readonly Column<ExtractionSummary>[] {
  return [
    {
      title: texts.inbox.extraction,
      value: ({ id }) => id,
      cell: ({ id }) => (
        <Anchor component={Link} href={`/extractions/${id}`}>
          {id}
        </Anchor>
      ),
    },
    { title: texts.inbox.model, value: ({ deploymentId }) => models[deploymentId] ?? deploymentId },
    {
      title: texts.inbox.status,
      value: ({ status }) => texts.inbox.extractionStatuses[status],
      cell: ({ status, error }) => (
        <Text size="sm" title={error?.message}>
          {texts.inbox.extractionStatuses[status]}
        </Text>
      ),
    },
    { title: texts.inbox.time, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatTime(createdAt) },
  ];
}

/** A confidence as a bar and as a number. */
function confidenceColumn(): Column<{ readonly confidence: number | null }> {
  return {
    title: texts.inbox.confidence,
    value: ({ confidence }) => confidence,
    cell: ({ confidence }) =>
      confidence === null ? (
        texts.none
      ) : (
        <>
          {formatRate(confidence)} <RateBar rate={confidence} size="small" />
        </>
      ),
  };
}
