import { Button, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import type { Model } from "@switchyard/client";
import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import { useParameters } from "../../controls/parameters.ts";
import { texts } from "../../texts/index.ts";
import { filterNames, statuses } from "./filters.ts";

const text = texts.values;

/** The time after which a typed search is sent, in milliseconds. */
const pauseMs = 300;

/** What the filters need. `models` is undefined for a caller who may not list them. */
export interface ValueFiltersProps {
  readonly models: readonly Model[] | undefined;
  readonly modelId: string | undefined;
}

/** Chooses the model, its table and the filters, all in the address. */
export function ValueFilters({ models, modelId }: ValueFiltersProps) {
  const parameters = useParameters();
  const isFiltered = filterNames.some((name) => parameters.has(name));
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
      {models !== undefined && modelId !== undefined && <TableChoice modelId={modelId} />}
      <Select
        label={text.status}
        placeholder={text.allStatuses}
        data={statuses.map((value) => ({ value, label: text.statuses[value] }))}
        value={parameters.get("status") || null}
        onChange={(status) => parameters.set({ status: status ?? "" })}
        clearable
        w={160}
      />
      <Search />
      {(["from", "to"] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={text[name]}
          value={parameters.get(name)}
          onChange={(event) => parameters.set({ [name]: event.currentTarget.value })}
        />
      ))}
      {isFiltered && (
        <Button
          variant="subtle"
          onClick={() => parameters.set(Object.fromEntries(filterNames.map((name) => [name, ""])))}
        >
          {text.clear}
        </Button>
      )}
    </Group>
  );
}

/** Chooses the table. Without a choice it is the primary one, as in the API. */
function TableChoice({ modelId }: { modelId: string }) {
  const parameters = useParameters();
  const configuration = useCall("getConfiguration", { deploymentId: modelId });
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

function Search() {
  const parameters = useParameters();
  const current = parameters.get("search");
  const [typed, setTyped] = useState(current);
  const [seen, setSeen] = useState(current);
  // The address changes by typing, and then this is what was typed; or otherwise, by "clear" for instance.
  if (current !== seen) {
    setSeen(current);
    if (current !== typed.trim()) setTyped(current);
  }
  const send = useDebouncedCallback((search: string) => parameters.set({ search }), pauseMs);
  return (
    <TextInput
      type="search"
      label={text.search}
      placeholder={text.searchHint}
      value={typed}
      maxLength={200}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        send(event.currentTarget.value.trim());
      }}
    />
  );
}
