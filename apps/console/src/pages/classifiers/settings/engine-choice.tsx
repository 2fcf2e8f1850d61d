import { Select } from "@mantine/core";
import { useCall } from "../../../api/queries.ts";
import { texts } from "../../../texts/index.ts";
import { fromKey, listOptions, toKey } from "./engine-options.ts";
import type { NamedEngine } from "./engine-options.ts";

const words = texts.classifiers.settings;

/** What the choice of the engines of a classifier needs. */
export interface EngineChoiceProps {
  readonly engine: NamedEngine;
  /** The engine that is asked where the first one finds no route; null for none. */
  readonly secondOpinion: NamedEngine | null;
  readonly onChange: (changed: { engine?: NamedEngine; secondOpinion?: NamedEngine | null }) => void;
  /** Why the server refused the engines. */
  readonly errors: { readonly engine: string | undefined; readonly secondOpinion: string | undefined };
}

/** Chooses the engine of a classifier, and the one for second opinions, among those that the organization may use. */
export function EngineChoice({ engine, secondOpinion, onChange, errors }: EngineChoiceProps) {
  const engines = useCall("listEngines", {}).data?.data ?? [];
  return (
    <>
      <Select
        label={words.engine}
        description={words.engineHint}
        data={listOptions(engines, engine, words.firstModel)}
        value={toKey(engine)}
        onChange={(key) => key !== null && onChange({ engine: fromKey(key) })}
        error={errors.engine}
        allowDeselect={false}
      />
      <Select
        label={words.secondOpinion}
        description={words.secondOpinionHint}
        placeholder={texts.none}
        data={listOptions(engines, secondOpinion, words.firstModel)}
        value={secondOpinion === null ? null : toKey(secondOpinion)}
        onChange={(key) => onChange({ secondOpinion: key === null ? null : fromKey(key) })}
        error={errors.secondOpinion}
        clearable
        clearButtonProps={{ "aria-label": words.noSecondOpinion }}
      />
    </>
  );
}
