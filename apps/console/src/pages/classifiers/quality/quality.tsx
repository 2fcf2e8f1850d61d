import { Center, Group, Loader, SegmentedControl, Stack, Text } from "@mantine/core";
import type { ClassifierDetail } from "@switchyard/client";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { useCall } from "../../../api/queries.ts";
import { useParameters } from "../../../controls/parameters.ts";
import { formatRate } from "../../../format/figures.ts";
import { usePermissions } from "../../../session/session.ts";
import { EmptyState } from "../../../table/empty-state.tsx";
import { texts } from "../../../texts/index.ts";
import { ConfusionMatrix } from "./confusion-matrix.tsx";
import { RouteQualityTable } from "./route-quality-table.tsx";
import { ThresholdSection } from "./threshold-section.tsx";

const words = texts.quality;

/** What the quality of a classifier needs. */
export interface QualityProps {
  /** The project in whose inbox documents are reviewed. */
  readonly projectId: string;
  readonly classifier: ClassifierDetail;
  readonly mayEdit: boolean;
}

/** How well a classifier decides, over its reviewed documents. The choices are in the address. */
export function Quality({ projectId, classifier, mayEdit }: QualityProps) {
  const parameters = useParameters();
  const replay = parameters.get("replay") === "true";
  const percent = Number(parameters.get("precision"));
  return (
    <Stack gap="lg">
      <Group>
        <SegmentedControl
          aria-label={words.decisions}
          data={[
            { value: "false", label: words.recorded },
            { value: "true", label: words.replayed },
          ]}
          value={String(replay)}
          onChange={(value) => parameters.set({ replay: value === "true" ? value : "" })}
        />
        <Text size="sm">{replay ? words.replayedHint : words.recordedHint}</Text>
      </Group>
      {/* The figures of the other decisions are not shown in the meantime. */}
      <Figures
        key={String(replay)}
        projectId={projectId}
        classifier={classifier}
        mayEdit={mayEdit}
        replay={replay}
        wanted={percent > 0 && percent < 100 ? percent : null}
        onWanted={(value) => parameters.set({ precision: value === null ? "" : String(value) })}
      />
    </Stack>
  );
}

interface FiguresProps extends QualityProps {
  readonly replay: boolean;
  /** The wanted precision in percent; null if none is wanted. */
  readonly wanted: number | null;
  readonly onWanted: (percent: number | null) => void;
}

function Figures({ projectId, classifier, mayEdit, replay, wanted, onWanted }: FiguresProps) {
  const query = useCall(...firstRequests.quality(classifier.id, replay, wanted === null ? undefined : wanted / 100));
  const { data } = query;
  const mayReview = usePermissions()("documents:read");
  return (
    <>
      <Problem error={query.error} retry={() => void query.refetch()} />
      {query.isPending && (
        <Center p="xl">
          <Loader aria-label={texts.table.loading} />
        </Center>
      )}
      {data?.reviewed === 0 && (
        <EmptyState
          title={words.empty}
          link={mayReview && { href: `~/console/projects/${projectId}/inbox`, label: words.toInbox }}
        >
          {words.emptyHint}
        </EmptyState>
      )}
      {data !== undefined && data.reviewed > 0 && (
        <>
          <Text size="sm">
            {words.reviewed(data.reviewed)} · {words.calibration(formatRate(data.calibrationError))}
          </Text>
          <ConfusionMatrix quality={data} />
          <RouteQualityTable routes={data.routes} />
          <ThresholdSection
            classifier={classifier}
            quality={data}
            mayEdit={mayEdit}
            wanted={wanted}
            onWanted={onWanted}
          />
        </>
      )}
    </>
  );
}
