import { Group, Select, TextInput } from "@mantine/core";
import type { Model } from "@switchyard/client";
import { firstRequests } from "../../api/first-requests.ts";
import { useCall } from "../../api/queries.ts";
import { DaysAndClear, TypedFilter } from "../../controls/filters.tsx";
import { useParameters } from "../../controls/parameters.ts";
import { texts } from "../../texts/index.ts";
import { filterNames, statuses } from "./filters.ts";

const text = texts.values;

/** What the filters need. `models` is undefined for a caller who may not list them. */
export interface ValueFiltersProps {
  readonly models: readonly Model[] | undefined;
  readonly modelId: string | undefined;
}

/** Chooses the model, its table and the filters, all in the address. */
export function ValueFilters({ models, modelId }: ValueFiltersProps) {
  const parameters = useParameters();
  return (
    <Group align="flex-end">
      {models === undefined ? (
        <TextInput
          label={text.modelId}
          defaultValue={modelId ?? ""}
          onBlur={(event) => parameters.set({ model: event.currentTarget.value.trim(), table: "" })}
        />
      ) : (
        <Select
          label={text.model}
          data={models.map(({ id, name }) => ({ value: id, label: name }))}
          value={modelId ?? null}
          onChange={(id) => parameters.set({ model: id ?? "", table: "", job: "" })}
          allowDeselect={false}
          searchable
        />
      )}
      {models !== undefined && modelId !== undefined && <TableChoice key={modelId} modelId={modelId} />}
      <Select
        label={text.status}
        placeholder={text.allStatuses}
        data={statuses.map((value) => ({ value, label: text.statuses[value] }))}
        value={parameters.get("status") || null}
        onChange={(status) => parameters.set({ status: status ?? "" })}
        clearable
        w={160}
      />
      <TypedFilter name="search" type="search" label={text.search} placeholder={text.searchHint} maxLength={200} />
      <DaysAndClear labels={text} names={filterNames} />
    </Group>
  );
}

/** Chooses the table. Without a choice it is the primary one, as in the API. */
function TableChoice({ modelId }: { modelId: string }) {
  const parameters = useParameters();
  const configuration = useCall(...firstRequests.configuration(modelId));
  const tables = configuration.data?.tables ?? [];
  if (tables.length < 2) return null;
  const primary = tables.find(({ isPrimary }) => isPrimary)?.slug ?? null;
  return (
    <Select
      label={text.table}
      data={tables.map(({ slug, name }) => ({ value: slug, label: name || slug }))}
      value={parameters.get("table") || primary}
      onChange={(table) => parameters.set({ table: table === primary || table === null ? "" : table })}
      allowDeselect={false}
      w={180}
    />
  );
}
