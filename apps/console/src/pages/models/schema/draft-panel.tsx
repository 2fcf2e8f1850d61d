import { Alert, Button, Group, List, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { ApiError } from "@switchyard/client";
import type { Configuration, Model } from "@switchyard/client";
import { useState } from "react";
import { Problem } from "../../../api/problem.tsx";
import { useCall } from "../../../api/queries.ts";
import { texts } from "../../../texts/index.ts";
import { ChangeList } from "./change-list.tsx";
import { compareDrafts } from "./changes.ts";
import { findProblems, nameField } from "./draft-problems.ts";
import { toDraft } from "./draft.ts";
import type { Draft, EditedDraft } from "./draft.ts";

const words = texts.models.schema;

/** What the panel about a draft needs. */
export interface DraftPanelProps {
  readonly model: Model;
  readonly configuration: Configuration;
  readonly edited: EditedDraft;
  readonly change: { readonly error: unknown; readonly isPending: boolean };
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}

/** What a draft changes against the current version, or against what a deployment serves, and the buttons to save or discard it. */
export function DraftPanel({ model, configuration, edited, change, onSave, onDiscard }: DraftPanelProps) {
  const { draft, version } = edited;
  const [comparedId, setComparedId] = useState(model.id);
  const compared = useCall("getConfiguration", { deploymentId: comparedId }, { enabled: comparedId !== model.id });
  const before = comparedId === model.id ? configuration : compared.isPlaceholderData ? undefined : compared.data;
  const problems = findProblems(draft);
  const isUnchanged = compareDrafts(toDraft(configuration), draft).parts.length === 0;
  return (
    <Paper withBorder p="md" component="section" aria-label={words.draftTitle}>
      <Stack>
        <Group justify="space-between" align="end">
          <Title order={2} size="h4">
            {words.draftTitle}
          </Title>
          <Select
            label={words.comparedWith}
            data={[
              {
                value: model.id,
                label: configuration.version === 0 ? words.noVersion : words.current(configuration.version),
              },
              ...model.deployments.map(({ id, name }) => ({ value: id, label: words.servedBy(name) })),
            ]}
            value={comparedId}
            onChange={(id) => id !== null && setComparedId(id)}
            allowDeselect={false}
            w={300}
          />
        </Group>
        {version !== configuration.version && (
          <Alert color="yellow" role="status">
            {words.overtaken(configuration.version)}
          </Alert>
        )}
        <Problem error={compared.error} retry={() => void compared.refetch()} />
        {before !== undefined && (
          <ChangeList name={words.changes} changes={compareDrafts(toDraft(before), draft)} none={words.noChanges} />
        )}
        {problems.length > 0 && (
          <Alert color="yellow" role="status" title={words.problems}>
            <List size="sm">
              {problems.map((problem) => (
                <List.Item key={problem}>{problem}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <SavingError error={change.error} draft={draft} />
        <Group>
          <Button onClick={onSave} loading={change.isPending} disabled={problems.length > 0 || isUnchanged}>
            {words.save(configuration.version + 1)}
          </Button>
          <Button variant="default" onClick={onDiscard}>
            {words.discard}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Why the draft could not be saved, with the tables and columns that the fields of the request stand for. */
function SavingError({ error, draft }: { error: unknown; draft: Draft }) {
  const fields = error instanceof ApiError ? error.errors : [];
  return (
    <>
      <Problem error={error} />
      {fields.length > 0 && (
        <List size="sm">
          {fields.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`}>
              <Text size="sm" span>
                {nameField(field, draft)}: {message}
              </Text>
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
