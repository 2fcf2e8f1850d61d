import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { Action } from "../deployments/target-actions.tsx";
import { ColumnDialog } from "./column-dialog.tsx";
import { emptyColumn, moveColumn, removeColumn, setColumn } from "./draft.ts";
import type { ColumnDraft, Draft } from "./draft.ts";

const words = texts.models.schema;

/** A column with its position in its table. */
interface Line {
  readonly position: number;
  readonly column: ColumnDraft;
}

const shown: readonly Column<Line>[] = [
  {
    title: words.column,
    value: ({ column }) => column.name || column.slug,
    cell: ({ column }) => (
      <>
        <Text size="sm" fw={600}>
          {column.name || column.slug}
        </Text>
        <Text size="xs" c="dimmed">
          {column.description}
        </Text>
      </>
    ),
  },
  { title: words.slug, value: ({ column }) => column.slug },
  {
    title: words.type,
    value: ({ column }) => column.type,
    cell: ({ column: { type, enumValues } }) =>
      type === "ENUM" ? `${words.types[type]}: ${enumValues.join(", ")}` : words.types[type],
  },
  {
    title: words.properties,
    value: ({ column }) => listProperties(column),
    cell: ({ column }) => listProperties(column) || texts.none,
  },
  {
    title: words.synonyms,
    value: ({ column }) => column.synonyms.join(", "),
    cell: ({ column }) => column.synonyms.join(", ") || texts.none,
  },
  {
    title: words.matchingTitle,
    value: ({ column }) => column.matching?.kind ?? null,
    cell: ({ column: { matching } }) => (matching === null ? texts.none : words.matchingKinds[matching.kind]),
  },
];

/** What a table of a schema needs. */
export interface TableSectionProps {
  readonly draft: Draft;
  readonly position: number;
  /** Keeps a changed draft; undefined if the caller may change nothing. */
  readonly onEdit: ((draft: Draft) => void) | undefined;
  readonly onEditTable: () => void;
  readonly onRemoveTable: () => void;
}

/** A table of a schema with its columns. */
export function TableSection({ draft, position, onEdit, onEditTable, onRemoveTable }: TableSectionProps) {
  const [task, setTask] = useState<number | undefined>(undefined);
  const table = draft.tables[position];
  if (table === undefined) return null;
  const name = table.name || table.slug;
  const lines = table.columns.map((column, at) => ({ position: at, column }));
  return (
    <Stack gap="xs" component="section" aria-label={name}>
      <Group gap="sm">
        <Title order={2} size="h4">
          {name}
        </Title>
        <Text size="sm" c="dimmed">
          {table.slug}
        </Text>
        {table.isPrimary && <Badge variant="default">{words.primaryBadge}</Badge>}
        {onEdit !== undefined && (
          <>
            <Action label={words.edit} name={words.editTable(name)} onClick={onEditTable} />
            <Action label={texts.actions.remove} name={words.removeTable(name)} onClick={onRemoveTable} />
          </>
        )}
      </Group>
      {table.instructions !== "" && <Text size="sm">{table.instructions}</Text>}
      <DataTable
        name={words.columns(name)}
        columns={onEdit === undefined ? shown : [...shown, createActions(draft, position, onEdit, setTask)]}
        rows={lines}
        rowKey={(line) => String(line.position)}
        empty={<Text size="sm">{words.noColumns}</Text>}
      />
      {onEdit !== undefined && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setTask(table.columns.length)}
          style={{ alignSelf: "start" }}
        >
          {words.addColumn(name)}
        </Button>
      )}
      <ColumnDialog
        column={task === undefined ? undefined : (table.columns[task] ?? emptyColumn)}
        onColumn={(column) => {
          if (task !== undefined) onEdit?.(setColumn(draft, position, task, column));
          setTask(undefined);
        }}
        onClose={() => setTask(undefined)}
      />
    </Stack>
  );
}

function createActions(
  draft: Draft,
  table: number,
  onEdit: (draft: Draft) => void,
  onTask: (position: number) => void,
): Column<Line> {
  return {
    title: texts.models.actions,
    value: () => null,
    cell({ position, column }) {
      const name = column.name || column.slug;
      return (
        <Group gap={4} wrap="nowrap">
          <Action label={words.edit} name={words.editColumn(name)} onClick={() => onTask(position)} />
          <Action label="↑" name={words.moveUp(name)} onClick={() => onEdit(moveColumn(draft, table, position, -1))} />
          <Action label="↓" name={words.moveDown(name)} onClick={() => onEdit(moveColumn(draft, table, position, 1))} />
          <Action
            label={texts.actions.remove}
            name={words.removeColumn(name)}
            onClick={() => onEdit(removeColumn(draft, table, position))}
          />
        </Group>
      );
    },
  };
}

function listProperties({ isKey, required, excludedFromExtraction, sharedId }: ColumnDraft): string {
  return [
    ...(isKey ? [words.key] : []),
    ...(required ? [words.requiredShort] : []),
    ...(excludedFromExtraction ? [words.excludedShort] : []),
    ...(sharedId === null ? [] : [words.sharedAs(sharedId)]),
  ].join(", ");
}
