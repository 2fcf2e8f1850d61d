import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { ApiError } from "@switchyard/client";
import type { Classification, Explanation } from "@switchyard/client";
import { useState } from "react";
import { Problem } from "../api/problem.tsx";
import { useCall } from "../api/queries.ts";
import { EngineFacts } from "../controls/engine-facts.tsx";
import { texts } from "../texts/index.ts";
import { hasSameScores } from "./same-scores.ts";
import { RouteScores } from "./route-scores.tsx";

/**
 * The scores of a record, with the words that spoke for and against each route. If they are not part of the record, the document is decided
 * again to show them; if a language model decided, only on request, because that may cost something.
 */
export function ExplainedScores({ record }: { record: Classification }) {
  const { classifierId, id: classificationId, scores, usage } = record;
  const isExplained = scores.some(({ evidence }) => evidence !== null);
  const [isWanted, setWanted] = useState(usage === null);
  const explanation = useCall(
    "getExplanation",
    { classifierId, classificationId },
    // A language model is asked once, and not again when someone returns to the page.
    { enabled: isWanted && !isExplained, ...(usage !== null && { isValid: "always" }) },
  );
  if (isExplained) return <RouteScores record={record} />;
  if (explanation.data !== undefined) return <Anew record={record} explanation={explanation.data} />;
  return (
    <Stack gap="xs">
      <RouteScores record={record} />
      {!isWanted && (
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => setWanted(true)}>
            {texts.explanation.ask}
          </Button>
          <Text size="sm">{texts.explanation.asksModel}</Text>
        </Group>
      )}
      {isImpossible(explanation.error) ? (
        <Text size="sm">{texts.explanation.impossible(explanation.error.problem.detail)}</Text>
      ) : (
        <Problem error={explanation.error} retry={() => void explanation.refetch()} />
      )}
    </Stack>
  );
}

/** The scores of a record, and the current ones if they differ. */
function Anew({ record, explanation }: { record: Classification; explanation: Explanation }) {
  const hasWords = explanation.scores.some(({ evidence }) => evidence !== null);
  if (hasSameScores(record.scores, explanation.scores)) {
    return (
      <Stack gap="xs">
        <RouteScores record={explanation} />
        {hasWords && (
          <Text size="sm" role="status">
            {texts.explanation.same}
          </Text>
        )}
      </Stack>
    );
  }
  const { sameDecision, routeName, reason, engine, usage } = explanation;
  return (
    <Stack gap="xs">
      <RouteScores record={record} />
      <Stack gap="xs" component="section" aria-label={texts.explanation.now}>
        <Title order={3} size="h5">
          {texts.explanation.now}
        </Title>
        <Text size="sm" role="status">
          {sameDecision
            ? texts.explanation.sameDecision
            : routeName === null
              ? texts.explanation.noRoute(reason?.message ?? "")
              : texts.explanation.otherRoute(routeName)}
        </Text>
        <RouteScores record={explanation} />
        <div>
          <EngineFacts engine={engine} usage={usage} />
        </div>
      </Stack>
    </Stack>
  );
}

/** Whether an explanation failed because of the record: its file or classifier is gone or out of reach, which no retry changes. */
function isImpossible(error: unknown): error is ApiError {
  return error instanceof ApiError && [403, 404, 409].includes(error.status);
}
