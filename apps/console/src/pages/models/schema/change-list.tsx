import { List, Stack, Text } from "@mantine/core";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { listChanges } from "./changes.ts";
import type { ChangeLine, Changes } from "./changes.ts";

const words = texts.models.changes;

const columns: readonly Column<ChangeLine>[] = [
  { title: words.kind, value: ({ kind }) => words[kind] },
  { title: words.table, value: ({ table }) => table },
  { title: words.column, value: ({ slug }) => slug },
  {
    title: words.fields,
    value: ({ details }) => details.join("; "),
    cell: ({ details }) =>
      details.length === 0 ? (
        texts.none
      ) : (
        <List size="sm">
          {details.map((detail) => (
            <List.Item key={detail}>{detail}</List.Item>
          ))}
        </List>
      ),
  },
];

/** How two schemas differ. */
export function ChangeList({ name, changes, none }: { name: string; changes: Changes; none: string }) {
  const lines = listChanges(changes);
  const parts = changes.parts.filter((part) => part !== "columns" || lines.length === 0);
  if (changes.parts.length === 0) return <Text size="sm">{none}</Text>;
  return (
    <Stack gap="xs">
      {parts.map((part) => (
        <Text key={part} size="sm">
          {part === "columns" ? words.orderOnly : (words.parts[part] ?? part)}
        </Text>
      ))}
      {lines.length > 0 && (
        <DataTable
          name={name}
          columns={columns}
          rows={lines}
          rowKey={({ kind, table, slug }) => `${kind} ${table} ${slug}`}
          empty={null}
        />
      )}
    </Stack>
  );
}
