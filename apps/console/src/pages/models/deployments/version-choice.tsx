import { Select } from "@mantine/core";
import type { ConfigurationVersion } from "@switchyard/client";
import { texts } from "../../../texts/index.ts";

const words = texts.models;

/** Offers the versions of a schema, newest first. */
export function VersionChoice({
  label,
  versions,
  value,
  onChange,
}: {
  label: string;
  versions: readonly ConfigurationVersion[];
  value: string | undefined;
  onChange: (schemaId: string) => void;
}) {
  return (
    <Select
      label={label}
      data={versions.map(({ extractionSchemaId, version, isCurrent }) => ({
        value: extractionSchemaId,
        label: isCurrent ? words.schema.current(version) : words.version(version),
      }))}
      value={value ?? null}
      onChange={(id) => id !== null && onChange(id)}
      allowDeselect={false}
      searchable
    />
  );
}
