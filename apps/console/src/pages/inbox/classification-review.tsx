import { Alert, Anchor, Button, Grid, Group, Radio, Stack, Text, Title } from "@mantine/core";
import type { Classification, Route } from "@switchyard/client";
import { useState } from "react";
import { Link } from "wouter";
import { Problem } from "../../api/problem.tsx";
import { Waiting } from "../../api/waiting.tsx";
import { firstRequests } from "../../api/first-requests.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { EngineFacts } from "../../controls/engine-facts.tsx";
import { DocumentView } from "../../document/document-view.tsx";
import { ExplainedScores } from "../../document/explained-scores.tsx";
import { usePermissions } from "../../session/session.ts";
import { formatRate } from "../../format/figures.ts";
import { formatTime } from "../../format/times.ts";
import { PageTitle } from "../../controls/page-title.tsx";
import { texts } from "../../texts/index.ts";
import { SingleKeys } from "./keys.tsx";
import { useNext } from "./next-item.ts";
import { useReviewKeys } from "./review-keys.ts";

/** Which record is reviewed. */
export interface ClassificationReviewProps {
  readonly projectId: string;
  readonly classifierId: string;
  readonly classificationId: string;
}

/** A classified document beside its decision: right, another route, or none of them. All of it works by keyboard. */
export function ClassificationReview({ projectId, classifierId, classificationId }: ClassificationReviewProps) {
  const record = useCall("getClassification", { classifierId, classificationId });
  const routes = useCall(...firstRequests.routes(classifierId));
  const next = useNext(projectId, classificationId);
  // The numbers of the routes are known when all of them are. A caller who may not list them chooses among those of the decision.
  if (record.data === undefined || routes.isPending)
    return (
      <Stack>
        <PageTitle>{texts.pages.inbox}</PageTitle>
        <Waiting error={record.error} retry={() => void record.refetch()} />
      </Stack>
    );
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle part={texts.inbox.kinds.CLASSIFICATION} size="h3">
          {record.data.filename}
        </PageTitle>
        <Group>
          <Anchor component={Link} href="/">
            {texts.review.back}
          </Anchor>
          <Button variant="default" onClick={next}>
            {texts.review.next}
          </Button>
        </Group>
      </Group>
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <DocumentView fileId={record.data.fileId} marks={[]} selected={undefined} onSelect={() => undefined} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Decision record={record.data} routes={routes.data?.data} onNext={next} />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

/** The value of the choice that none of the routes is right. */
const none = "none";

function Decision({
  record,
  routes,
  onNext,
}: {
  record: Classification;
  /** The routes of the classifier; undefined for a caller who may not list them. */
  routes: readonly Route[] | undefined;
  onNext: () => void;
}) {
  const may = usePermissions();
  const review = useChange("reviewClassification");
  const takeBack = useChange("deleteReview");
  const { classifierId, id: classificationId } = record;
  const [touched, setChosen] = useState<string | undefined>(undefined);
  const chosen = touched ?? (record.review === null ? record.routeId : (record.review.routeId ?? none));
  const choices = listChoices(record, routes);
  const canReview = may("documents:write");
  const confirm = (): void => {
    if (chosen === null || !canReview || review.isPending) return;
    review.mutate({ classifierId, classificationId, routeId: chosen === none ? null : chosen }, { onSuccess: onNext });
  };
  useReviewKeys([
    ["0", () => setChosen(none)],
    ["Enter", confirm],
    ["N", onNext],
    ...choices.slice(0, 9).map(({ id }, index) => [String(index + 1), () => setChosen(id)] as const),
  ]);
  return (
    <Stack>
      <Title order={2} size="h4">
        {texts.review.decision}
      </Title>
      <Outcome record={record} />
      <Title order={3} size="h5">
        {texts.review.routes}
      </Title>
      <ExplainedScores record={record} />
      {canReview && (
        <>
          <Radio.Group label={texts.review.choose} value={chosen} onChange={setChosen}>
            <Stack gap={6} mt="xs">
              {choices.map(({ id, name }, index) => (
                <Radio key={id} value={id} label={index < 9 ? `${index + 1} · ${name}` : name} />
              ))}
              <Radio value={none} label={`0 · ${texts.review.noneOfThem}`} />
            </Stack>
          </Radio.Group>
          <Group>
            <Button onClick={confirm} loading={review.isPending} disabled={chosen === null}>
              {chosen !== null && chosen === record.routeId ? texts.review.thatIsRight : texts.actions.save}
            </Button>
            {record.review !== null && (
              <Button variant="default" onClick={() => takeBack.mutate({ classifierId, classificationId })}>
                {texts.review.takeBack}
              </Button>
            )}
          </Group>
          <Problem error={review.error ?? takeBack.error} />
        </>
      )}
      <SingleKeys list={canReview ? texts.review.keyList : texts.review.keyList.slice(-1)} />
      {record.extraction !== null && (
        <Anchor component={Link} href={`/extractions/${record.extraction.id}`}>
          {texts.review.openExtraction}
        </Anchor>
      )}
    </Stack>
  );
}

/** The routes to choose from: those of the decision in its order, without deleted ones, and then those that were added later. */
function listChoices(
  { scores }: Classification,
  routes: readonly Route[] | undefined,
): readonly { readonly id: string; readonly name: string }[] {
  const scored = scores.map(({ routeId, routeName }) => ({ id: routeId, name: routeName }));
  if (routes === undefined) return scored;
  const known = new Set(routes.map(({ id }) => id));
  const later = routes.filter(({ id }) => !scored.some((each) => each.id === id));
  return [...scored.filter(({ id }) => known.has(id)), ...later];
}

function Outcome({ record }: { record: Classification }) {
  const { reason, routeName, confidence, threshold, margin, review, warnings, scores } = record;
  const reviewed = scores.find(({ routeId }) => routeId === review?.routeId)?.routeName;
  return (
    <Stack gap={4}>
      <Text fw={600}>{routeName ?? (reason && texts.inbox.reasons[reason.code])}</Text>
      {reason !== null && <Text size="sm">{reason.message}</Text>}
      {confidence !== null && (
        <Text size="sm">
          {texts.inbox.confidence} {formatRate(confidence)}
          {threshold !== null && ` · ${texts.review.threshold(formatRate(threshold))}`}
          {margin !== null && ` · ${texts.review.margin(formatRate(margin))}`}
        </Text>
      )}
      {review !== null && (
        <Text size="sm">
          {texts.review.current}: {review.routeId === null ? texts.review.noneOfThem : (reviewed ?? review.routeId)} (
          {formatTime(review.reviewedAt)})
        </Text>
      )}
      <EngineFacts engine={record.engine} usage={record.usage} />
      {warnings.map(({ code, message }) => (
        <Alert key={code + message} color="orange" variant="light" title={texts.review.warnings}>
          {message}
        </Alert>
      ))}
    </Stack>
  );
}
