import { diffConfigurations as diff } from "@switchyard/contracts/configuration-difference";
import type { ColumnDifference, ConfigurationPart } from "@switchyard/contracts/configuration-difference";
import type { Column, Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";

/** A column that differs between two configurations. A side that lacks it is null. */
export interface ColumnChange extends Pick<ColumnDifference<Column>, "table" | "slug" | "fields"> {
  readonly before: Column | null;
  readonly after: Column | null;
}

/** The differences between two configurations, as between versions of a schema. */
export interface ConfigurationChanges {
  readonly parts: readonly ConfigurationPart[];
  readonly added: readonly ColumnChange[];
  readonly removed: readonly ColumnChange[];
  readonly changed: readonly ColumnChange[];
}

/** Computes how a configuration differs from another one. */
export function diffConfigurations(from: Configuration, to: Configuration): ConfigurationChanges {
  const { parts, added, removed, changed } = diff(from, to);
  return { parts, added: added.map(toChange), removed: removed.map(toChange), changed: changed.map(toChange) };
}

function toChange(difference: ColumnDifference<Column>): ColumnChange {
  return { ...difference, before: difference.before ?? null, after: difference.after ?? null };
}
