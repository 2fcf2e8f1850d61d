import { Checkbox, Textarea } from "@mantine/core";
import { texts } from "../../../texts/index.ts";
import type { TableDraft } from "./draft.ts";
import { PartDialog } from "./part-dialog.tsx";

const words = texts.models.schema;

/** What the dialog about a table needs. */
export interface TableDialogProps {
  /** The table; undefined while the dialog is closed. */
  readonly table: TableDraft | undefined;
  readonly onTable: (table: TableDraft) => void;
  readonly onClose: () => void;
}

/** Edits a table of a draft, without its columns. */
export function TableDialog({ table: edited, onTable, onClose }: TableDialogProps) {
  return (
    <PartDialog
      part={edited}
      titles={{ create: words.newTable, edit: words.editTable }}
      nameLabel={words.tableName}
      onPart={onTable}
      onClose={onClose}
    >
      {(table, set) => (
        <>
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
        </>
      )}
    </PartDialog>
  );
}
