import { diffConfigurations } from "@switchyard/contracts/configuration-difference";
import type { ColumnDifference, ConfigurationDifference } from "@switchyard/contracts/configuration-difference";
import type { Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Fields, SchemaContent } from "./schema-content.ts";

/** A column that differs between two contents. */
export type SchemaColumnDifference = ColumnDifference<Fields<Column>>;

/** Computes the difference between two contents, as {@link diffConfigurations} does. */
export function diffContents(from: SchemaContent, to: SchemaContent): ConfigurationDifference<Fields<Column>> {
  return diffConfigurations(toConfiguration(from), toConfiguration(to));
}

function toConfiguration({ settings, ...content }: SchemaContent) {
  return { ...content, extractionSettings: settings };
}
