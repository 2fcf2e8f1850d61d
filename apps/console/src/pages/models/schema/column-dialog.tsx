import { Checkbox, Select, TagsInput, TextInput, Textarea } from "@mantine/core";
import { texts } from "../../../texts/index.ts";
import type { ColumnDraft } from "./draft.ts";
import { MatchingInput } from "./matching-input.tsx";
import { setType } from "./matching.ts";
import { PartDialog } from "./part-dialog.tsx";

const words = texts.models.schema;
const types = ["TEXT", "NUMBER", "DATE", "BOOLEAN", "ENUM"] as const;

/** What the dialog about a column needs. */
export interface ColumnDialogProps {
  /** The column; undefined while the dialog is closed. */
  readonly column: ColumnDraft | undefined;
  readonly onColumn: (column: ColumnDraft) => void;
  readonly onClose: () => void;
}

/** Edits a column of a draft. */
export function ColumnDialog({ column: edited, onColumn, onClose }: ColumnDialogProps) {
  return (
    <PartDialog
      part={edited}
      titles={{ create: words.newColumn, edit: words.editColumn }}
      nameLabel={texts.models.name}
      onPart={onColumn}
      onClose={onClose}
    >
      {(column, set) => (
        <>
          <Select
            label={words.type}
            data={types.map((type) => ({ value: type, label: words.types[type] }))}
            value={column.type}
            onChange={(value) => set(setType(column, types.find((type) => type === value) ?? "TEXT"))}
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
        </>
      )}
    </PartDialog>
  );
}
