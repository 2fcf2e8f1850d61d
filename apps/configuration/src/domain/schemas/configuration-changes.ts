import type { ConfigurationPart } from "@switchyard/contracts/configuration-difference";
import { diffContents } from "./configuration-diff.ts";
import type { Fields, SchemaContent } from "./schema-content.ts";
import type { Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { shortened } from "@switchyard/text";
import type { Json } from "@switchyard/text";

/**
 * Describes a change between two contents for the audit trail, by the REST names of the parts: texts (shortened to 500 characters) and
 * settings with both values, and lists of the tables (by slug) and columns (as "table.column") that were added, removed and changed. The
 * full difference can be computed from the two versions, which are immutable.
 */
export function describeConfigurationChanges(from: SchemaContent, to: SchemaContent): { [key: string]: Json } {
  const difference = diffContents(from, to);
  const toNames = (columns: readonly { table: string; slug: string }[]) =>
    columns.map(({ table, slug }) => `${table}.${slug}`);
  const describers: Readonly<Record<ConfigurationPart, () => Json>> = {
    instructions: () => ({ from: shortened(from.instructions), to: shortened(to.instructions) }),
    tables: () => tableChanges(from.tables, to.tables),
    columns: () =>
      filled({
        added: toNames(difference.added),
        removed: toNames(difference.removed),
        changed: toNames(difference.changed),
      }),
    extractionSettings: () => ({ from: getSettings(from), to: getSettings(to) }),
  };
  return Object.fromEntries(difference.parts.map((part) => [part, describers[part]()]));
}

function tableChanges(from: readonly Fields<Table>[], to: readonly Fields<Table>[]): Json {
  const before = new Map(from.map((table) => [table.slug, table]));
  const after = new Map(to.map((table) => [table.slug, table]));
  const slugs = (tables: readonly Fields<Table>[]) => tables.map(({ slug }) => slug);
  return filled({
    added: slugs(to.filter(({ slug }) => !before.has(slug))),
    removed: slugs(from.filter(({ slug }) => !after.has(slug))),
    changed: slugs(
      to.filter((table) => {
        const old = before.get(table.slug);
        return old !== undefined && !isSameTable(old, table);
      }),
    ),
  });
}

function isSameTable(left: Fields<Table>, right: Fields<Table>): boolean {
  return left.name === right.name && left.instructions === right.instructions && left.isPrimary === right.isPrimary;
}

function getSettings({ settings }: SchemaContent): Json {
  const { engine, modelName, temperature, useExamples, numberOfExamples } = settings;
  return { engine, modelName: modelName ?? null, temperature: temperature ?? null, useExamples, numberOfExamples };
}

/** Returns the lists that are not empty. If all are empty, only the order has changed. */
function filled(lists: Readonly<Record<string, string[]>>): Json {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}
