import { Button, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ClassifierDetail } from "@switchyard/client";
import { useLocation } from "wouter";
import { useChange } from "../../../api/queries.ts";
import { localEngine, nameEngine } from "../../../controls/engine-options.ts";
import { useUnsaved } from "../../../controls/unsaved.ts";
import { Dialog, DialogActions } from "../../../dialog/dialog.tsx";
import { texts } from "../../../texts/index.ts";
import { ScopeSection } from "./scope-section.tsx";
import { SettingsForm } from "./settings-form.tsx";
import type { EnteredSettings, SettingsFormProps } from "./settings-form.tsx";

const words = texts.classifiers;

/** What the settings of a classifier need. */
export interface SettingsProps {
  readonly projectId: string;
  readonly classifier: ClassifierDetail;
  readonly mayEdit: boolean;
  /** What was entered and is not saved. */
  readonly entered: EnteredSettings;
  readonly onEntered: SettingsFormProps["onEntered"];
}

/** The settings of a classifier, its scope, and its deletion. */
export function Settings({ projectId, classifier, mayEdit, entered, onEntered }: SettingsProps) {
  return (
    <Stack gap="xl">
      {mayEdit ? (
        <SettingsForm classifier={classifier} entered={entered} onEntered={onEntered} />
      ) : (
        <FixedSettings classifier={classifier} />
      )}
      <ScopeSection projectId={projectId} classifier={classifier} />
      {mayEdit && <Removal classifier={classifier} />}
    </Stack>
  );
}

const noNumbers = { minConfidence: null, minMargin: null, pages: null };
const noSettings = { engine: localEngine, modelName: null, secondOpinion: null, ...noNumbers };

function FixedSettings({ classifier }: { classifier: ClassifierDetail }) {
  const { engine, modelName, secondOpinion, minConfidence, minMargin, pages } = classifier.settings ?? noSettings;
  const lines = [
    [words.description, classifier.description],
    [words.settings.engine, nameEngine({ engine, modelName })],
    [words.settings.secondOpinion, secondOpinion === null ? null : nameEngine(secondOpinion)],
    [words.minConfidence, minConfidence],
    [words.settings.minMargin, minMargin],
    [words.settings.pages, pages],
  ] as const;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {words.settings.title}
      </Title>
      {lines.map(([name, value]) => (
        <Text key={name} size="sm">
          <b>{name}</b>: {value === null || value === "" ? texts.none : value}
        </Text>
      ))}
    </Stack>
  );
}

function Removal({ classifier }: { classifier: ClassifierDetail }) {
  const [, navigate] = useLocation();
  const [isOpen, { open, close }] = useDisclosure(false);
  const { forget } = useUnsaved();
  const change = useChange("deleteClassifier", () => {
    forget();
    navigate("/");
  });
  return (
    <Stack gap="xs" align="start">
      <Title order={2} size="h4">
        {words.remove.title}
      </Title>
      <Text size="sm">{words.remove.hint}</Text>
      <Button variant="default" onClick={open}>
        {words.remove.action}
      </Button>
      <Dialog opened={isOpen} title={words.remove.confirm(classifier.name)} onClose={close}>
        <Stack>
          <Text size="sm">{words.remove.hint}</Text>
          <DialogActions
            label={texts.actions.remove}
            change={change}
            onClose={close}
            onConfirm={() => change.mutate({ classifierId: classifier.id })}
            isDangerous
          />
        </Stack>
      </Dialog>
    </Stack>
  );
}
