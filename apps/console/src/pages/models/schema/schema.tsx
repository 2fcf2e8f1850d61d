import { Alert, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import type { Configuration, Model } from "@switchyard/client";
import { useMemo, useState } from "react";
import type { Dispatch, SetStateAction } from "react";
import { useChange } from "../../../api/queries.ts";
import { texts } from "../../../texts/index.ts";
import { removeTable, setTable, toDraft, toRequest } from "./draft.ts";
import type { Draft, EditedDraft } from "./draft.ts";
import { DraftPanel } from "./draft-panel.tsx";
import { ExtractionSection } from "./extraction-section.tsx";
import { TableDialog } from "./table-dialog.tsx";
import { TableSection } from "./table-section.tsx";

const words = texts.models.schema;

/** What the schema of a model needs. */
export interface SchemaProps {
  readonly model: Model;
  /** The current configuration of the model. */
  readonly configuration: Configuration;
  /** The draft; undefined while nothing is edited. */
  readonly edited: EditedDraft | undefined;
  /** Keeps a draft, or what the function makes of it; undefined if the caller may change nothing. */
  readonly onEdit: Dispatch<SetStateAction<EditedDraft | undefined>> | undefined;
}

/** The tables and columns of a model. They are edited in a draft, which becomes a new version when it is saved. */
export function Schema({ model, configuration, edited, onEdit }: SchemaProps) {
  const current = useMemo(() => toDraft(configuration), [configuration]);
  const draft = edited?.draft ?? current;
  const [task, setTask] = useState<number | undefined>(undefined);
  const change = useChange("updateConfiguration");
  const edit =
    onEdit &&
    ((next: Draft): void => {
      onEdit({ draft: next, version: edited?.version ?? configuration.version });
      if (!change.isPending) change.reset();
    });
  const save = async (): Promise<void> => {
    const saved = draft;
    const { version } = await change.mutateAsync({ deploymentId: model.id, ...toRequest(saved) });
    // Even if another tab of the page is open by now. What was edited in the meantime is not saved yet.
    onEdit?.((current) => (current === undefined || current.draft === saved ? undefined : { ...current, version }));
  };
  return (
    <Stack gap="lg">
      {change.data !== undefined && edited === undefined && (
        <Alert color="green" role="status">
          {words.saved(change.data.version)}
        </Alert>
      )}
      {edited !== undefined && (
        <DraftPanel
          model={model}
          configuration={configuration}
          edited={edited}
          change={change}
          onSave={() => void save().catch(() => undefined)}
          onDiscard={() => onEdit?.(undefined)}
        />
      )}
      {edit === undefined ? (
        draft.instructions !== "" && <Text size="sm">{draft.instructions}</Text>
      ) : (
        <Textarea
          label={words.instructions}
          description={words.instructionsHint}
          value={draft.instructions}
          onChange={(event) => edit({ ...draft, instructions: event.currentTarget.value })}
          maxLength={10_000}
          autosize
          minRows={1}
          maxRows={8}
        />
      )}
      <ExtractionSection
        settings={draft.extractionSettings}
        onChange={edit && ((extractionSettings) => edit({ ...draft, extractionSettings }))}
        error={change.error}
      />
      {draft.tables.length === 0 && <Text>{words.none}</Text>}
      {draft.tables.map((_table, position) => (
        <TableSection
          key={position}
          draft={draft}
          position={position}
          onEdit={edit}
          onEditTable={() => setTask(position)}
          onRemoveTable={() => edit?.(removeTable(draft, position))}
        />
      ))}
      {edit !== undefined && (
        <Group>
          <Button variant="default" onClick={() => setTask(draft.tables.length)}>
            {words.addTable}
          </Button>
        </Group>
      )}
      <TableDialog
        table={task === undefined ? undefined : (draft.tables[task] ?? createTable(draft))}
        onTable={(table) => {
          if (task !== undefined) edit?.(setTable(draft, task, table));
          setTask(undefined);
        }}
        onClose={() => setTask(undefined)}
      />
    </Stack>
  );
}

function createTable({ tables }: Draft): Draft["tables"][number] {
  return { slug: "", name: "", instructions: "", isPrimary: tables.length === 0, columns: [] };
}
