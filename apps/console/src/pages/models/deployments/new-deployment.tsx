import { Stack, Text, TextInput } from "@mantine/core";
import type { ConfigurationVersion } from "@switchyard/client";
import { useState } from "react";
import { useChange } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { getFieldError } from "../../../dialog/fields.ts";
import { texts } from "../../../texts/index.ts";
import { VersionChoice } from "./version-choice.tsx";

const words = texts.models;

/** What the creation of a deployment needs. */
export interface NewDeploymentProps {
  readonly modelId: string;
  readonly versions: readonly ConfigurationVersion[];
  /** The version that is chosen at the beginning; undefined for the current one. */
  readonly schemaId: string | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates a deployment of a model, which serves one version of its schema. */
export function NewDeployment({ opened, ...form }: NewDeploymentProps) {
  return (
    <Dialog opened={opened} title={words.deployment.create} onClose={form.onClose}>
      <Form {...form} />
    </Dialog>
  );
}

function Form({ modelId, versions, schemaId, onClose }: Omit<NewDeploymentProps, "opened">) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState(schemaId);
  const change = useChange("createDeployment");
  const served = chosen ?? versions.find(({ isCurrent }) => isCurrent)?.extractionSchemaId;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ deploymentId: modelId, name, extractionSchemaId: served }, { onSuccess: onClose });
      }}
    >
      <Stack>
        <Text size="sm">{words.deployment.createHint}</Text>
        <TextInput
          label={words.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={getFieldError(change.error, "name")}
          maxLength={120}
          required
          data-autofocus
        />
        <VersionChoice label={words.deployment.version} versions={versions} value={served} onChange={setChosen} />
        <DialogActions label={texts.actions.create} change={change} onClose={onClose} />
      </Stack>
    </form>
  );
}
