import { Alert, Button, Group, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import type { Column } from "@switchyard/client";
import { toScrolling } from "../../controls/scrolling.ts";
import { formatRate, formatValue } from "../../format/figures.ts";
import { texts } from "../../texts/index.ts";
import { parseTyped } from "./cells.ts";
import type { Cell, CellTable } from "./cells.ts";

/** The fields of a table, and what happens in them. */
export interface CellFieldsProps {
  readonly table: CellTable;
  /** The texts that were typed, by the keys of their cells. */
  readonly typed: Readonly<Record<string, string>>;
  readonly isReadOnly: boolean;
  /** Called when a field has the keyboard focus. */
  readonly onSelect: (key: string) => void;
  /** Called with what was typed; undefined takes it back. */
  readonly onType: (key: string, text: string | undefined) => void;
  readonly onAddRow: () => void;
}

/** The values of a table as fields: one below the other for the primary table, and as a table otherwise. */
export function CellFields(props: CellFieldsProps) {
  const { table, isReadOnly, onAddRow } = props;
  return (
    <Stack gap="xs" component="section" aria-label={texts.review.valuesOf(table.name)}>
      <Title order={2} size="h4">
        {table.name}
      </Title>
      {table.contradictions.map((message) => (
        <Alert key={message} color="orange" variant="light" title={texts.review.contradiction}>
          {message}
        </Alert>
      ))}
      {table.isPrimary ? (
        table.rows[0]?.map((cell) => <Field key={cell.key} cell={cell} {...props} hasLabel />)
      ) : (
        <Rows {...props} />
      )}
      {!table.isPrimary && !isReadOnly && (
        <Group>
          <Button variant="default" size="compact-sm" onClick={onAddRow}>
            {texts.review.addRow}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Rows(props: CellFieldsProps) {
  const { columns, rows, name } = props.table;
  if (rows.length === 0) return <Text size="sm">{texts.review.noRows}</Text>;
  return (
    <Table.ScrollContainer minWidth={columns.length * 120} scrollAreaProps={{ viewportProps: toScrolling(name) }}>
      <Table aria-label={name} verticalSpacing={2} horizontalSpacing={2}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ slug, name: title }) => (
              <Table.Th key={slug} scope="col">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((cells, row) => (
            <Table.Tr key={row}>
              {cells.map((cell) => (
                <Table.Td key={cell.key}>
                  <Field cell={cell} {...props} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Field({
  cell,
  typed,
  isReadOnly,
  onSelect,
  onType,
  hasLabel = false,
}: CellFieldsProps & { cell: Cell; hasLabel?: boolean }) {
  const { key, column, row, value, confidence, isContradicted } = cell;
  const extracted = value === null ? "" : formatValue(value);
  const text = typed[key] ?? extracted;
  const parsed = parseTyped(column, text);
  const isWrong = "problem" in parsed;
  const isCorrected = text !== extracted;
  const isDoubtful = isContradicted || (confidence !== null && confidence < doubtful);
  const state = isCorrected
    ? texts.review.corrected
    : confidence === null
      ? texts.review.noValue
      : formatRate(confidence);
  return (
    <TextInput
      id={`cell-${key}`}
      {...(hasLabel
        ? { label: column.name, description: state }
        : { "aria-label": texts.review.cell(column.name, row + 1, state) })}
      value={text}
      readOnly={isReadOnly}
      required={hasLabel && column.required}
      withAsterisk={false}
      error={isWrong ? invalidText(column) : undefined}
      onFocus={() => onSelect(key)}
      onChange={(event) => {
        const next = event.currentTarget.value;
        onType(key, next === extracted ? undefined : next);
      }}
      data-doubtful={isDoubtful}
      variant={isDoubtful && !isCorrected ? "filled" : "default"}
      rightSection={isDoubtful && !isCorrected ? <span title={texts.review.doubtful}>?</span> : undefined}
    />
  );
}

/** The confidence below which a value is pointed out. */
const doubtful = 0.6;

function invalidText({ type, enumValues }: Column): string {
  return type === "ENUM" ? texts.review.invalid.ENUM(enumValues) : texts.review.invalid[type];
}
