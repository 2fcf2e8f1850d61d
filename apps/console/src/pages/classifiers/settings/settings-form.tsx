import { Alert, Button, NumberInput, Stack, TextInput, Textarea, Title } from "@mantine/core";
import type { ClassifierDetail } from "@switchyard/client";
import { Problem } from "../../../api/problem.tsx";
import { useChange } from "../../../api/queries.ts";
import { EngineChoice } from "../../../controls/engine-choice.tsx";
import { localEngine } from "../../../controls/engine-options.ts";
import { getFieldError, toNumber } from "../../../dialog/fields.ts";
import { texts } from "../../../texts/index.ts";

const words = texts.classifiers.settings;

/** The settings of a classifier that were entered in the form. */
export type EnteredSettings = Partial<ReturnType<typeof listKnown>>;

/** What the form needs. */
export interface SettingsFormProps {
  readonly classifier: ClassifierDetail;
  /** Only what was entered: the classifier that is shown first may be older than the one that arrives. */
  readonly entered: EnteredSettings;
  /** Keeps what was entered. */
  readonly onEntered: (change: (previous: EnteredSettings) => EnteredSettings) => void;
}

/** Changes the name, the description and the settings of a classifier. */
export function SettingsForm({ classifier, entered, onEntered }: SettingsFormProps) {
  const { settings } = classifier;
  const values = { ...listKnown(classifier), ...entered };
  const change = useChange("updateClassifier");
  const { error } = change;
  const set = (changed: EnteredSettings): void => {
    onEntered((previous) => ({ ...previous, ...changed }));
    if (!change.isPending) change.reset();
  };
  const submit = (): void => {
    const { name, description, engine, ...changed } = values;
    // The settings are replaced as a whole, so those without a field here are sent back.
    const all = { ...settings, ...changed, ...engine };
    void change.mutateAsync({ classifierId: classifier.id, name, description, settings: all }).then(
      // Even if another tab of the page is open by now. What was entered in the meantime is not saved yet.
      () => onEntered((current) => withoutSaved(current, entered)),
      () => undefined,
    );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack maw={560}>
        <Title order={2} size="h4">
          {words.title}
        </Title>
        <TextInput
          label={texts.classifiers.name}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={getFieldError(error, "name")}
          maxLength={120}
          required
        />
        <Textarea
          label={texts.classifiers.description}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={getFieldError(error, "description")}
          maxLength={2000}
          autosize
          minRows={2}
        />
        <EngineChoice
          label={words.engine}
          description={words.engineHint}
          value={values.engine}
          onChange={(engine) => set({ engine })}
          error={getFieldError(error, "settings.engine", "settings.modelName")}
        />
        <EngineChoice
          label={words.secondOpinion}
          description={words.secondOpinionHint}
          value={values.secondOpinion}
          onChange={(secondOpinion) => set({ secondOpinion })}
          error={getFieldError(error, "settings.secondOpinion.engine", "settings.secondOpinion.modelName")}
          clear={words.noSecondOpinion}
        />
        <NumberInput
          label={texts.classifiers.minConfidence}
          description={words.minConfidenceHint}
          value={values.minConfidence ?? ""}
          onChange={(value) => set({ minConfidence: toNumber(value) })}
          error={getFieldError(error, "settings.minConfidence")}
          min={0}
          max={1}
          step={0.05}
        />
        <NumberInput
          label={words.minMargin}
          description={words.minMarginHint}
          value={values.minMargin ?? ""}
          onChange={(value) => set({ minMargin: toNumber(value) })}
          error={getFieldError(error, "settings.minMargin")}
          min={0}
          max={1}
          step={0.05}
        />
        <NumberInput
          label={words.pages}
          description={words.pagesHint}
          value={values.pages ?? ""}
          onChange={(value) => set({ pages: toNumber(value) })}
          error={getFieldError(error, "settings.pages")}
          min={1}
          max={100}
          allowDecimal={false}
        />
        <Problem error={error} />
        {change.isSuccess && (
          <Alert color="green" role="status">
            {words.saved}
          </Alert>
        )}
        <Button type="submit" loading={change.isPending} style={{ alignSelf: "start" }}>
          {texts.actions.save}
        </Button>
      </Stack>
    </form>
  );
}

function listKnown({ name, description, settings }: ClassifierDetail) {
  return {
    name,
    description,
    minConfidence: settings?.minConfidence ?? null,
    minMargin: settings?.minMargin ?? null,
    pages: settings?.pages ?? null,
    engine: { engine: settings?.engine ?? localEngine, modelName: settings?.modelName ?? null },
    secondOpinion: settings?.secondOpinion ?? null,
  };
}

function withoutSaved(current: EnteredSettings, saved: EnteredSettings): EnteredSettings {
  const isSaved = (name: string): boolean =>
    current[name as keyof EnteredSettings] === saved[name as keyof EnteredSettings];
  return Object.fromEntries(Object.entries(current).filter(([name]) => !isSaved(name)));
}
