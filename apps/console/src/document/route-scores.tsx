import { Group, List, Progress, Stack, Text } from "@mantine/core";
import type { Classification } from "@switchyard/client";
import { formatRate } from "../format/figures.ts";
import { texts } from "../texts/index.ts";

/** The number of words for each route: those that weigh most come first. */
const shownTerms = 6;

/** The score of every route for a document, how far it is behind the best one, why it is excluded, and the words that spoke for and against it. */
export function RouteScores({ record: { scores, routeId } }: { record: Pick<Classification, "scores" | "routeId"> }) {
  const best = scores[0];
  return (
    <Stack gap="xs">
      {scores.map(({ routeId: scored, routeName, score, ineligibleReason, evidence }) => (
        <div key={scored}>
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm" fw={scored === routeId ? 700 : 400}>
              {routeName}
              {ineligibleReason !== null && ` (${texts.review.out}: ${texts.review.exclusions[ineligibleReason]})`}
            </Text>
            <Text size="sm">
              {score === null ? texts.none : formatRate(score)}
              {score !== null && best?.score != null && scored !== best.routeId
                ? ` (${texts.tryIt.behind(formatRate(best.score - score))})`
                : ""}
            </Text>
          </Group>
          <Progress
            value={(score ?? 0) * 100}
            size="sm"
            color={ineligibleReason === null ? "indigo" : "gray"}
            aria-hidden="true"
          />
          {evidence !== null && evidence.terms.length > 0 && (
            <List size="sm" aria-label={texts.review.evidence}>
              {evidence.terms.slice(0, shownTerms).map(({ term, weight }) => (
                <List.Item key={term}>
                  {term} ({weight > 0 ? "+" : ""}
                  {weight.toFixed(2)})
                </List.Item>
              ))}
            </List>
          )}
        </div>
      ))}
    </Stack>
  );
}
