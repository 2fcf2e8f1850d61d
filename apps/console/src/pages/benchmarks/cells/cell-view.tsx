import { Button, Grid, Group, Stack, Text, Title } from "@mantine/core";
import type { CellResult } from "@switchyard/client";
import { useMemo } from "react";
import { firstRequests } from "../../../api/first-requests.ts";
import { useCall } from "../../../api/queries.ts";
import { Facts } from "../../../controls/facts.tsx";
import { DocumentView } from "../../../document/document-view.tsx";
import { formatValue } from "../../../format/figures.ts";
import { texts } from "../../../texts/index.ts";
import { Outcome } from "../run/outcome.tsx";
import { listMarks, toKey } from "./cell-marks.ts";

const text = texts.benchmarks.cells;

/** What the view of a cell needs. */
export interface CellViewProps {
  readonly fileId: string;
  /** The cells of the file in the order of the list. */
  readonly cells: readonly CellResult[];
  /** The key of the chosen cell. */
  readonly chosen: string;
  /** Called with the key of another cell; "" closes the view. */
  readonly onChoose: (key: string) => void;
}

/** The document of a run with a box at each extracted value, and beside it what was accepted for the chosen cell and what was extracted. */
export function CellView({ fileId, cells, chosen, onChoose }: CellViewProps) {
  const pages = useCall(...firstRequests.fileText(fileId)).data?.pages;
  const marks = useMemo(() => listMarks(cells, pages ?? [], nameCell), [cells, pages]);
  const index = cells.findIndex((cell) => toKey(cell) === chosen);
  const cell = cells[index];
  const step = (label: string, target: CellResult | undefined) => (
    <Button
      variant="default"
      size="compact-md"
      disabled={target === undefined}
      onClick={() => target !== undefined && onChoose(toKey(target))}
    >
      {label}
    </Button>
  );
  return (
    <Grid component="section" aria-label={text.onPage}>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <DocumentView fileId={fileId} marks={marks} selected={chosen} onSelect={onChoose} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack>
          {cell !== undefined && (
            <Stack role="status" gap="xs">
              <Title order={3} size="h5">
                {text.cell(cell.table, cell.row + 1, cell.column)}
              </Title>
              <Group>
                <Outcome outcome={cell.outcome} />
              </Group>
              <Facts
                facts={[
                  { name: text.expected, value: formatValue(cell.expected) },
                  { name: text.actual, value: formatValue(cell.actual), note: cell.evidence?.quote ?? undefined },
                ]}
              />
              {pages !== undefined && !marks.some(({ key }) => key === chosen) && <Text size="sm">{text.noPlace}</Text>}
            </Stack>
          )}
          <Group gap="xs">
            {step(text.previousCell, cells[index - 1])}
            {step(text.nextCell, cells[index + 1])}
            <Button variant="default" size="compact-md" onClick={() => onChoose("")}>
              {texts.actions.close}
            </Button>
          </Group>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function nameCell({ column, expected, actual }: CellResult): string {
  return text.expectedAgainstActual(column, formatValue(expected), formatValue(actual));
}
