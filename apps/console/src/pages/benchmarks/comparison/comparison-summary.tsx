import { Alert, Group, List, Stack, Text, Title } from "@mantine/core";
import type { Comparison, EngineVersion, Execution } from "@switchyard/client";
import { formatPoints } from "../../../format/figures.ts";
import { texts } from "../../../texts/index.ts";
import { columnChanges } from "./differences.ts";
import type { ColumnChange } from "./differences.ts";
import { Verdict } from "./verdict.tsx";

const text = texts.benchmarks.comparison;

/** What a comparison needs. */
export interface ComparisonSummaryProps {
  readonly run: Execution;
  readonly comparison: Comparison;
  readonly baselineFiles: number | undefined;
}

/** The verdict about two runs in a sentence, what limits it, and what was changed between them. */
export function ComparisonSummary({ run, comparison, baselineFiles }: ComparisonSummaryProps) {
  const { filesCompared, aggregated } = comparison;
  const figures = aggregated?.successRate;
  return (
    <Stack>
      {figures && (
        <Group role="status">
          <Verdict verdict={figures.verdict} />
          <Text fw={600}>{text.summary[figures.verdict](formatPoints(figures.delta), filesCompared)}</Text>
        </Group>
      )}
      {warnings(run, comparison, baselineFiles).map((warning) => (
        <Alert key={warning} color="yellow" variant="light">
          {warning}
        </Alert>
      ))}
      <Changes comparison={comparison} />
    </Stack>
  );
}

function warnings({ fileCount }: Execution, comparison: Comparison, baselineFiles = fileCount): string[] {
  const { filesCompared, filesNeeded, enoughFiles, engines } = comparison;
  const found: string[] = [];
  if (filesCompared < fileCount || filesCompared < baselineFiles)
    found.push(text.otherFiles(filesCompared, baselineFiles, fileCount));
  if (!enoughFiles) found.push(text.fewFiles);
  if (filesNeeded !== null) found.push(text.filesNeeded(filesNeeded));
  const [before, after] = [engines?.baseline ?? null, engines?.candidate ?? null];
  if (before !== null && after !== null && describe(before) !== describe(after))
    found.push(text.otherEngine(describe(before), describe(after)));
  return found;
}

function describe({ name, version }: EngineVersion): string {
  return `${name} ${version}`;
}

function Changes({ comparison: { configuration } }: { comparison: Comparison }) {
  const parts = configuration?.parts ?? [];
  const changes = columnChanges(configuration);
  return (
    <section>
      <Title order={3} size="h5">
        {text.configuration}
      </Title>
      <Text size="sm">{parts.length === 0 ? text.sameConfiguration : text.parts(parts.join(", "))}</Text>
      {changes.length > 0 && (
        <List size="sm">
          {changes.map((change) => (
            <List.Item key={`${change.kind} ${change.column}`}>{toText(change)}</List.Item>
          ))}
        </List>
      )}
    </section>
  );
}

function toText({ kind, column, fields }: ColumnChange): string {
  return kind === "changed" ? text.changed(column, fields.join(", ")) : text[kind](column);
}
