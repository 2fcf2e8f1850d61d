import { Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { DialogActions, Dialog } from "../../dialog/dialog.tsx";
import { getFieldError } from "../../dialog/fields.ts";
import { texts } from "../../texts/index.ts";

/** What the creation of a classifier needs. */
export interface NewClassifierProps {
  readonly projectId: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates a classifier, and opens it. */
export function NewClassifier({ projectId, opened, onClose }: NewClassifierProps) {
  return (
    <Dialog opened={opened} title={texts.classifiers.create} onClose={onClose}>
      <Form projectId={projectId} onClose={onClose} />
    </Dialog>
  );
}

function Form({ projectId, onClose }: Omit<NewClassifierProps, "opened">) {
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const change = useChange("createClassifier");
  const submit = (): void =>
    change.mutate({ projectId, name, description }, { onSuccess: ({ id }) => navigate(`/${id}`) });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <Text size="sm">{texts.classifiers.createHint}</Text>
        <TextInput
          label={texts.classifiers.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={getFieldError(change.error, "name")}
          maxLength={120}
          required
          data-autofocus
        />
        <Textarea
          label={texts.classifiers.description}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={getFieldError(change.error, "description")}
          maxLength={2000}
          autosize
          minRows={2}
        />
        <DialogActions label={texts.actions.create} change={change} onClose={onClose} />
      </Stack>
    </form>
  );
}
