import { Alert, Button, Group, NumberInput, Slider, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ClassifierDetail, Quality, RiskCoveragePoint } from "@switchyard/client";
import { useState } from "react";
import { Problem } from "../../../api/problem.tsx";
import { useChange } from "../../../api/queries.ts";
import { toNumber } from "../../../dialog/fields.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { formatRate } from "../../../format/figures.ts";
import { texts } from "../../../texts/index.ts";
import { findPoint, formatThreshold } from "./points.ts";
import { RiskCurve } from "./risk-curve.tsx";

const words = texts.quality;

const columns: readonly Column<RiskCoveragePoint>[] = [
  { title: words.threshold, value: ({ threshold }) => threshold, cell: ({ threshold }) => formatThreshold(threshold) },
  { title: words.coverage, value: ({ coverage }) => coverage, cell: ({ coverage }) => formatRate(coverage) },
  { title: words.risk, value: ({ risk }) => risk, cell: ({ risk }) => formatRate(risk) },
];

/** What the choice of a threshold needs. */
export interface ThresholdSectionProps {
  readonly classifier: ClassifierDetail;
  readonly quality: Quality;
  readonly mayEdit: boolean;
  /** The wanted precision in percent; null if none is wanted. */
  readonly wanted: number | null;
  readonly onWanted: (percent: number | null) => void;
}

/** The curve of risk over coverage with a threshold to move, which can become the minimum confidence of the classifier. */
export function ThresholdSection({ classifier, quality, mayEdit, wanted, onWanted }: ThresholdSectionProps) {
  const { riskCoverage, threshold: suggestion } = quality;
  const used = classifier.settings?.minConfidence ?? null;
  const [moved, setMoved] = useState<number | undefined>(undefined);
  const threshold = moved ?? used ?? riskCoverage.at(-1)?.threshold ?? 0.5;
  const [isListed, { toggle }] = useDisclosure(false);
  const change = useChange("updateClassifier");
  const point = findPoint(riskCoverage, threshold);
  const shown = formatThreshold(threshold);
  const move = (value: number): void => {
    setMoved(value);
    if (!change.isPending) change.reset();
  };
  const apply = (): void =>
    change.mutate({ classifierId: classifier.id, settings: { ...classifier.settings, minConfidence: threshold } });
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {words.curve}
      </Title>
      <Text size="sm">{words.curveHint}</Text>
      <RiskCurve points={riskCoverage} marked={point} />
      <Slider
        value={threshold}
        onChange={move}
        min={0}
        max={1}
        step={0.005}
        label={formatThreshold}
        thumbLabel={words.threshold}
        maw={460}
      />
      <Text role="status">
        {point === undefined
          ? words.atNothing(shown)
          : words.at(shown, formatRate(point.coverage), formatRate(1 - point.risk))}
      </Text>
      <Group>
        {mayEdit && (
          <Button onClick={apply} loading={change.isPending}>
            {words.use(shown)}
          </Button>
        )}
        {used !== null && <Text size="sm">{words.inUse(formatThreshold(used))}</Text>}
        <Text size="sm">{words.ownThreshold}</Text>
      </Group>
      <Problem error={change.error} />
      {change.isSuccess && (
        <Alert color="green" role="status">
          {words.used(shown)}
        </Alert>
      )}
      <NumberInput
        label={words.wanted}
        description={words.wantedHint}
        value={wanted ?? ""}
        onChange={(value) => onWanted(toNumber(value))}
        min={50}
        max={99.9}
        maw={260}
      />
      {wanted !== null && suggestion === null && <Text size="sm">{words.insufficient}</Text>}
      {suggestion !== null && (
        <Group>
          <Text size="sm">
            {words.suggested(
              formatThreshold(suggestion.threshold),
              formatRate(suggestion.coverage),
              formatRate(suggestion.lowerBound),
            )}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => move(suggestion.threshold)}>
            {words.choose}
          </Button>
        </Group>
      )}
      <Button
        variant="default"
        size="compact-sm"
        onClick={toggle}
        aria-expanded={isListed}
        style={{ alignSelf: "start" }}
      >
        {isListed ? words.hideTable : words.showTable}
      </Button>
      {isListed && (
        <DataTable
          name={words.curveTable}
          columns={columns}
          rows={riskCoverage}
          rowKey={({ threshold: each }) => String(each)}
          empty={null}
        />
      )}
    </Stack>
  );
}
