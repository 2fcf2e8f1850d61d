import { Checkbox, Group, NumberInput, Stack, Text, Title } from "@mantine/core";
import { EngineChoice } from "../../../controls/engine-choice.tsx";
import { localEngine, nameEngine } from "../../../controls/engine-options.ts";
import { getFieldError, toNumber } from "../../../dialog/fields.ts";
import { texts } from "../../../texts/index.ts";
import type { Draft } from "./draft.ts";

const words = texts.models.extraction;

type Settings = Draft["extractionSettings"];

/** What the settings of the extraction need. */
export interface ExtractionSectionProps {
  readonly settings: Settings;
  /** Keeps changed settings in the draft; undefined if the caller may change nothing. */
  readonly onChange: ((settings: Settings) => void) | undefined;
  /** Why the draft was refused. */
  readonly error: unknown;
}

/** With which engine the documents of a model are extracted, and how. */
export function ExtractionSection({ settings, onChange, error }: ExtractionSectionProps) {
  return (
    <Stack gap="xs" component="section" aria-label={words.title}>
      <Title order={2} size="h4">
        {words.title}
      </Title>
      {onChange === undefined ? (
        <Text size="sm">{describe(settings)}</Text>
      ) : (
        <Fields settings={settings} onChange={onChange} error={error} />
      )}
    </Stack>
  );
}

function Fields({ settings, onChange, error }: ExtractionSectionProps & { onChange: (settings: Settings) => void }) {
  const { engine, modelName, temperature, useExamples, numberOfExamples } = settings;
  const set = (changed: Partial<Settings>): void => onChange({ ...settings, ...changed });
  const errorOf = (...names: readonly (keyof Settings)[]): string | undefined =>
    getFieldError(error, ...names.map((name) => `extractionSettings.${name}`));
  const isLocal = engine === localEngine;
  return (
    <>
      <Group align="start">
        <EngineChoice
          label={texts.classifiers.settings.engine}
          value={{ engine, modelName }}
          onChange={(chosen) => set({ ...chosen, ...(chosen.engine === localEngine && { temperature: null }) })}
          error={errorOf("engine", "modelName")}
        />
        {!isLocal && (
          <NumberInput
            label={words.temperature}
            description={words.temperatureHint}
            value={temperature ?? ""}
            onChange={(value) => set({ temperature: toNumber(value) })}
            error={errorOf("temperature")}
            step={0.1}
          />
        )}
        {!isLocal && (
          <NumberInput
            label={words.examples}
            description={words.examplesHint}
            value={numberOfExamples}
            onChange={(value) => set({ numberOfExamples: toNumber(value) ?? 0 })}
            error={errorOf("numberOfExamples")}
            disabled={!useExamples}
            allowDecimal={false}
          />
        )}
      </Group>
      <Checkbox
        label={isLocal ? words.learns : words.usesExamples}
        checked={useExamples}
        onChange={(event) => set({ useExamples: event.currentTarget.checked })}
        error={errorOf("useExamples")}
      />
    </>
  );
}

function describe({ engine, modelName, temperature, useExamples, numberOfExamples }: Settings): string {
  const isLocal = engine === localEngine;
  return [
    nameEngine({ engine, modelName }),
    ...(temperature === null ? [] : [`${words.temperature}: ${temperature}`]),
    useExamples ? (isLocal ? words.learns : `${words.examples}: ${numberOfExamples}`) : words.noExamples,
  ].join(" · ");
}
