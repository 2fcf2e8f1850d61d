import { Autocomplete, Button, Group, NumberInput, Select, Stack } from "@mantine/core";
import { useState } from "react";
import { texts } from "../../../texts/index.ts";
import { firstRule, operators } from "./rules.ts";
import type { Rule } from "./rules.ts";

const text = texts.benchmarks.gate;

/** What the form of rules needs. */
export interface RulesFormProps {
  readonly initial: readonly Rule[];
  /** The metrics that are proposed. */
  readonly metrics: readonly string[];
  readonly isChecking: boolean;
  readonly onCheck: (rules: readonly Rule[]) => void;
}

interface Draft extends Omit<Rule, "value"> {
  readonly key: number;
  readonly value: number | string;
}

/** The rules of a gate, to be changed and checked. */
export function RulesForm({ initial, metrics, isChecking, onCheck }: RulesFormProps) {
  const [drafts, setDrafts] = useState<readonly Draft[]>(() =>
    (initial.length > 0 ? initial : [firstRule]).map((rule, key) => ({ ...rule, key })),
  );
  const replace = (key: number, part: Partial<Draft>): void =>
    setDrafts((all) => all.map((draft) => (draft.key === key ? { ...draft, ...part } : draft)));
  const nextKey = Math.max(-1, ...drafts.map(({ key }) => key)) + 1;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCheck(
          drafts.map(({ metric, operator, value }) => ({ metric: metric.trim(), operator, value: Number(value) })),
        );
      }}
    >
      <Stack>
        {drafts.map((draft) => (
          <Group key={draft.key} align="flex-end">
            <Autocomplete
              label={text.metric}
              data={[...metrics]}
              value={draft.metric}
              onChange={(metric) => replace(draft.key, { metric })}
              required
              limit={100}
              w={380}
            />
            <Select
              label={text.operator}
              data={[...operators]}
              value={draft.operator}
              onChange={(operator) => replace(draft.key, { operator: operator ?? ">=" })}
              allowDeselect={false}
              w={90}
            />
            <NumberInput
              label={text.value}
              value={draft.value}
              onChange={(value) => replace(draft.key, { value })}
              step={0.01}
              required
              w={120}
            />
            {drafts.length > 1 && (
              <Button
                variant="default"
                onClick={() => setDrafts((all) => all.filter(({ key }) => key !== draft.key))}
                aria-label={text.remove(draft.metric)}
              >
                {texts.actions.remove}
              </Button>
            )}
          </Group>
        ))}
        <Group>
          <Button variant="default" onClick={() => setDrafts((all) => [...all, { ...firstRule, key: nextKey }])}>
            {text.add}
          </Button>
          <Button type="submit" loading={isChecking}>
            {text.check}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
