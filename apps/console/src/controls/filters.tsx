import { Button, TextInput } from "@mantine/core";
import type { TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { texts } from "../texts/index.ts";
import { useParameters } from "./parameters.ts";

/** The time after which a typed filter is sent, in milliseconds. */
const pauseMs = 300;

/** What a filter that is typed needs. */
export interface TypedFilterProps extends Pick<TextInputProps, "label" | "placeholder" | "type" | "maxLength" | "w"> {
  /** The parameter of the address. */
  readonly name: string;
}

/** A filter that is typed. It follows the address when that is changed otherwise, by "clear" for instance. */
export function TypedFilter({ name, ...input }: TypedFilterProps) {
  const parameters = useParameters();
  const current = parameters.get(name);
  const [typed, setTyped] = useState(current);
  const [seen, setSeen] = useState(current);
  if (current !== seen) {
    setSeen(current);
    if (current !== typed.trim()) setTyped(current);
  }
  const send = useDebouncedCallback((value: string) => parameters.set({ [name]: value }), pauseMs);
  return (
    <TextInput
      {...input}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        send(event.currentTarget.value.trim());
      }}
    />
  );
}

/** What the days of a filter need. */
export interface DaysAndClearProps {
  /** The labels of the first and the last day. */
  readonly labels: { readonly from: string; readonly to: string };
  /** The parameters of all filters of the page. */
  readonly names: readonly string[];
}

/** The first and the last day of what is shown, and the button that removes all filters. */
export function DaysAndClear({ labels, names }: DaysAndClearProps) {
  const parameters = useParameters();
  return (
    <>
      {(["from", "to"] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={labels[name]}
          value={parameters.get(name)}
          onChange={(event) => parameters.set({ [name]: event.currentTarget.value })}
        />
      ))}
      {names.some((name) => parameters.has(name)) && (
        <Button variant="subtle" onClick={() => parameters.set(Object.fromEntries(names.map((name) => [name, ""])))}>
          {texts.table.clear}
        </Button>
      )}
    </>
  );
}
