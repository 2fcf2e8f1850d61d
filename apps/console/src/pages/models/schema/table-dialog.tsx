import { Checkbox, Stack, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { texts } from "../../../texts/index.ts";
import type { TableDraft } from "./draft.ts";

const words = texts.models.schema;
const nothing = { error: null, isPending: false };

/** What the dialog about a table needs. */
export interface TableDialogProps {
  /** The table; undefined while the dialog is closed. */
  readonly table: TableDraft | undefined;
  readonly onTable: (table: TableDraft) => void;
  readonly onClose: () => void;
}

/** Edits a table of a draft, without its columns. */
export function TableDialog({ table, onTable, onClose }: TableDialogProps) {
  const isNew = table?.slug === "";
  return (
    <Dialog
      opened={table !== undefined}
      title={isNew ? words.newTable : words.editTable(table?.name ?? "")}
      onClose={onClose}
    >
      {table !== undefined && <Form table={table} onTable={onTable} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ table: first, onTable, onClose }: TableDialogProps & { readonly table: TableDraft }) {
  const [table, setTable] = useState(first);
  const set = (changed: Partial<TableDraft>): void => setTable((previous) => ({ ...previous, ...changed }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onTable(table);
      }}
    >
      <Stack>
        <TextInput
          label={words.tableName}
          value={table.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          maxLength={120}
          data-autofocus
        />
        <TextInput
          label={words.slug}
          description={words.slugHint}
          value={table.slug}
          onChange={(event) => set({ slug: event.currentTarget.value })}
          maxLength={63}
          required
        />
        <Textarea
          label={words.instructions}
          value={table.instructions}
          onChange={(event) => set({ instructions: event.currentTarget.value })}
          maxLength={10_000}
          autosize
          minRows={2}
          maxRows={8}
        />
        <Checkbox
          label={words.primary}
          checked={table.isPrimary}
          onChange={(event) => set({ isPrimary: event.currentTarget.checked })}
        />
        <DialogActions label={words.apply} change={nothing} onClose={onClose} />
      </Stack>
    </form>
  );
}
