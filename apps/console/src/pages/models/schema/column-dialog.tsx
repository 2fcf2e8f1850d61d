import { Checkbox, Select, Stack, TagsInput, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { texts } from "../../../texts/index.ts";
import type { ColumnDraft } from "./draft.ts";
import { MatchingInput } from "./matching-input.tsx";
import { setType } from "./matching.ts";

const words = texts.models.schema;
const nothing = { error: null, isPending: false };
const types = ["TEXT", "NUMBER", "DATE", "BOOLEAN", "ENUM"] as const;

/** What the dialog about a column needs. */
export interface ColumnDialogProps {
  /** The column; undefined while the dialog is closed. */
  readonly column: ColumnDraft | undefined;
  readonly onColumn: (column: ColumnDraft) => void;
  readonly onClose: () => void;
}

/** Edits a column of a draft. */
export function ColumnDialog({ column, onColumn, onClose }: ColumnDialogProps) {
  const isNew = column?.slug === "";
  return (
    <Dialog
      opened={column !== undefined}
      title={isNew ? words.newColumn : words.editColumn(column?.name ?? "")}
      onClose={onClose}
    >
      {column !== undefined && <Form column={column} onColumn={onColumn} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ column: first, onColumn, onClose }: ColumnDialogProps & { readonly column: ColumnDraft }) {
  const [column, setColumn] = useState(first);
  const set = (changed: Partial<ColumnDraft>): void => setColumn((previous) => ({ ...previous, ...changed }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onColumn(column);
      }}
    >
      <Stack>
        <TextInput
          label={texts.models.name}
          value={column.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          maxLength={120}
          data-autofocus
        />
        <TextInput
          label={words.slug}
          description={words.slugHint}
          value={column.slug}
          onChange={(event) => set({ slug: event.currentTarget.value })}
          maxLength={63}
          required
        />
        <Select
          label={words.type}
          data={types.map((type) => ({ value: type, label: words.types[type] }))}
          value={column.type}
          onChange={(value) => setColumn(setType(column, types.find((type) => type === value) ?? "TEXT"))}
          allowDeselect={false}
        />
        {column.type === "ENUM" && (
          <TagsInput
            label={words.enumValues}
            description={words.enumValuesHint}
            value={[...column.enumValues]}
            onChange={(enumValues) => set({ enumValues })}
            maxTags={200}
          />
        )}
        <TagsInput
          label={words.synonyms}
          description={words.synonymsHint}
          value={[...column.synonyms]}
          onChange={(synonyms) => set({ synonyms })}
          maxTags={50}
        />
        <Textarea
          label={words.description}
          value={column.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          maxLength={2000}
          autosize
          minRows={1}
          maxRows={6}
        />
        <Checkbox
          label={words.isKey}
          checked={column.isKey}
          onChange={(event) => set({ isKey: event.currentTarget.checked })}
        />
        <Checkbox
          label={words.required}
          checked={column.required}
          onChange={(event) => set({ required: event.currentTarget.checked })}
        />
        <Checkbox
          label={words.excluded}
          checked={column.excludedFromExtraction}
          onChange={(event) => set({ excludedFromExtraction: event.currentTarget.checked })}
        />
        <MatchingInput column={column} onChange={(matching) => set({ matching })} />
        <TextInput
          label={words.sharedId}
          description={words.sharedIdHint}
          value={column.sharedId ?? ""}
          onChange={(event) => set({ sharedId: event.currentTarget.value.trim() || null })}
        />
        <DialogActions label={words.apply} change={nothing} onClose={onClose} />
      </Stack>
    </form>
  );
}
