import { Group, NumberInput, Radio, Select, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { Problem } from "../../../api/problem.tsx";
import { firstRequests } from "../../../api/first-requests.ts";
import { requestAgain, useCall } from "../../../api/queries.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { useParameters } from "../../../controls/parameters.ts";
import { usePermissions, useSession } from "../../../session/session.ts";
import { texts } from "../../../texts/index.ts";

const text = texts.benchmarks.form;

/** Starts a run. The model and the schema are in the address, so that other pages can link to the form. */
export function NewRun({ projectId }: { projectId: string }) {
  const parameters = useParameters();
  const close = (): void => parameters.set({ new: "", deploymentId: "", extractionSchemaId: "" });
  const models = useCall(...firstRequests.models(projectId));
  const runnable = (models.data?.data ?? []).filter(({ extractionSchemaId }) => extractionSchemaId !== null);
  const asked = parameters.get("deploymentId");
  const model = runnable.find(({ id }) => id === asked) ?? runnable[0];
  return (
    <Dialog opened title={text.title} onClose={close}>
      <Problem error={models.error} retry={() => void models.refetch()} />
      {models.isSuccess && model === undefined && <Text>{text.noModels}</Text>}
      {model !== undefined && (
        <Stack>
          <Select
            label={text.model}
            description={text.modelHint}
            data={runnable.map(({ id, name }) => ({ value: id, label: name }))}
            value={model.id}
            onChange={(id) => parameters.set({ deploymentId: id ?? "", extractionSchemaId: "" })}
            allowDeselect={false}
            searchable
          />
          <Settings
            key={model.id}
            projectId={projectId}
            modelId={model.id}
            modelName={model.name}
            currentSchema={model.extractionSchemaId ?? ""}
            onClose={close}
          />
        </Stack>
      )}
    </Dialog>
  );
}

interface SettingsProps {
  readonly projectId: string;
  readonly modelId: string;
  readonly modelName: string;
  readonly currentSchema: string;
  readonly onClose: () => void;
}

function Settings({ projectId, modelId, modelName, currentSchema, onClose }: SettingsProps) {
  const parameters = useParameters();
  const may = usePermissions();
  const [, navigate] = useLocation();
  const [count, setCount] = useState<number | undefined>(undefined);
  const [typedName, setName] = useState<string | undefined>(undefined);
  const [description, setDescription] = useState("");
  const versions = useCall("listConfigurationVersions", { deploymentId: modelId, limit: 500 });
  const schemaId = parameters.get("extractionSchemaId") || currentSchema;
  const version = versions.data?.data.find(({ extractionSchemaId }) => extractionSchemaId === schemaId);
  const name = typedName ?? (version === undefined ? "" : text.defaultName(modelName, version.version));
  const start = useStart(projectId, modelId);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(
          { name, description, extractionSchemaId: schemaId, count },
          { onSuccess: ({ executionId }) => navigate(`/${executionId}`) },
        );
      }}
    >
      <Stack>
        <Select
          label={text.version}
          data={(versions.data?.data ?? []).map((each) => ({
            value: each.extractionSchemaId,
            label: text.versionName(
              each.version,
              each.isCurrent,
              each.servedBy.map((deployment) => deployment.name),
            ),
          }))}
          value={schemaId}
          onChange={(id) => parameters.set({ extractionSchemaId: id ?? "" })}
          allowDeselect={false}
        />
        {may("documents:read") && <FileChoice count={count} onChange={setCount} />}
        <TextInput
          label={text.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={120}
          required
          data-autofocus
        />
        <Textarea
          label={text.description}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          maxLength={2_000}
          autosize
        />
        <DialogActions
          label={text.submit}
          change={{ isPending: start.isPending, error: versions.error ?? start.error }}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}

function FileChoice({ count, onChange }: { count: number | undefined; onChange: (count: number | undefined) => void }) {
  return (
    <Radio.Group
      label={text.files}
      value={count === undefined ? "all" : "some"}
      onChange={(value) => onChange(value === "all" ? undefined : 50)}
    >
      <Group mt="xs">
        <Radio value="all" label={text.allFiles} />
        <Radio value="some" label={text.someFiles} />
        {count !== undefined && (
          <NumberInput
            aria-label={text.fileCount}
            value={count}
            onChange={(value) => onChange(Number(value))}
            min={1}
            max={10_000}
            allowDecimal={false}
            w={110}
          />
        )}
      </Group>
    </Radio.Group>
  );
}

interface Started {
  readonly name: string;
  readonly description: string;
  readonly extractionSchemaId: string;
  /** The number of files, the newest first; undefined for all that are accepted. */
  readonly count: number | undefined;
}

/** Starts a run. That its files are listed first is a part of the change, so that the form is not sent again in the meantime. */
function useStart(projectId: string, deploymentId: string) {
  const { client } = useSession();
  const queries = useQueryClient();
  const findFiles = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    const request = { projectId, deploymentId, accepted: true, limit: Math.min(count, 500) };
    for await (const { id } of client.all("listFiles", request)) if (ids.push(id) >= count) break;
    if (ids.length === 0) throw new Error(text.noFiles);
    return ids;
  };
  return useMutation({
    async mutationFn({ count, ...body }: Started) {
      const files = count === undefined ? {} : { fileIds: await findFiles(count) };
      return client.createExecution({ projectId, deploymentId, ...body, ...files });
    },
    onSettled: () => requestAgain(queries),
  });
}
