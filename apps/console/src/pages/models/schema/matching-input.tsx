import { Group, NumberInput, Select } from "@mantine/core";
import { toNumber } from "../../../dialog/fields.ts";
import { texts } from "../../../texts/index.ts";
import type { ColumnDraft } from "./draft.ts";
import { createMatching, listMatchingKinds } from "./matching.ts";

const words = texts.models.schema;

/** Takes when two values of a column match, with the tolerance. */
export function MatchingInput({
  column: { type, matching },
  onChange,
}: {
  column: ColumnDraft;
  onChange: (matching: ColumnDraft["matching"]) => void;
}) {
  const kinds = listMatchingKinds(type);
  return (
    <Group align="end">
      <Select
        label={words.matching}
        data={[
          { value: "", label: words.matchingDefault },
          ...kinds.map((kind) => ({ value: kind, label: words.matchingKinds[kind] })),
        ]}
        value={matching?.kind ?? ""}
        onChange={(value) => onChange(createMatching(kinds.find((kind) => kind === value) ?? null))}
        allowDeselect={false}
        w={280}
      />
      {matching?.kind === "NUMERIC" && (
        <>
          <NumberInput
            label={words.absoluteTolerance}
            value={matching.absoluteTolerance ?? ""}
            onChange={(value) => onChange({ ...matching, absoluteTolerance: toNumber(value) })}
            min={0}
            step={0.01}
          />
          <NumberInput
            label={words.relativeTolerance}
            value={matching.relativeTolerance ?? ""}
            onChange={(value) => onChange({ ...matching, relativeTolerance: toNumber(value) })}
            min={0}
            max={1}
            step={0.01}
          />
        </>
      )}
      {matching?.kind === "EDITS" && (
        <NumberInput
          label={words.maxEdits}
          value={matching.maxEdits ?? ""}
          onChange={(value) => onChange({ ...matching, maxEdits: toNumber(value) })}
          min={1}
          max={100}
          allowDecimal={false}
        />
      )}
    </Group>
  );
}
