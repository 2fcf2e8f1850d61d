import { Select } from "@mantine/core";
import type { SelectProps } from "@mantine/core";
import { firstRequests } from "../api/first-requests.ts";
import { useCall } from "../api/queries.ts";
import { texts } from "../texts/index.ts";
import { fromKey, listOptions, toKey } from "./engine-options.ts";
import type { NamedEngine } from "./engine-options.ts";

/** What the choice of an engine needs. */
export interface EngineChoiceProps<Chosen extends NamedEngine | null> extends Pick<
  SelectProps,
  "label" | "description" | "error"
> {
  readonly value: Chosen;
  readonly onChange: (engine: Chosen) => void;
  /** The name of the button that chooses no engine; undefined if there must be one. */
  readonly clear?: Chosen extends NamedEngine ? undefined : string;
}

/** Chooses an engine and one of its models, among those that the organization may use. */
export function EngineChoice<Chosen extends NamedEngine | null>({
  value,
  onChange,
  clear,
  ...select
}: EngineChoiceProps<Chosen>) {
  const engines = useCall(...firstRequests.engines()).data?.data ?? [];
  return (
    <Select
      {...select}
      placeholder={texts.none}
      data={listOptions(engines, value, texts.engines.firstModel)}
      value={value === null ? null : toKey(value)}
      onChange={(key) => onChange((key === null ? null : fromKey(key)) as Chosen)}
      {...(clear === undefined
        ? { allowDeselect: false }
        : { clearable: true, clearButtonProps: { "aria-label": clear } })}
    />
  );
}
