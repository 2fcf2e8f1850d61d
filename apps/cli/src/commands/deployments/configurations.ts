import type { ColumnDifference } from "@switchyard/client";
import { fields, table } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids } from "../ids.ts";
import { configurationOf } from "./configuration-file.ts";
import { configurationView } from "./configuration-view.ts";

function differenceRows(change: string, differences: readonly ColumnDifference[]) {
  return differences.map(({ table: name, slug, fields: changed }) => [change, name, slug, changed.join(", ")]);
}

/** The commands for configurations of models and their versions. */
export const configurationCommands: readonly Command[] = [
  operation({
    noun: "deployments",
    verb: "config",
    summary: "Show the current configuration of a model, or the one that a deployment serves",
    call: "getConfiguration",
    arguments: [ids.target],
    view: configurationView,
  }),
  {
    noun: "deployments",
    verb: "update-config",
    summary: "Change the configuration of a model, which creates a new version",
    details:
      "The file has the format of `deployments create`, or is what `deployments config --output json` prints; tables and columns each replace the previous ones as a whole. Deployments keep serving their version.",
    calls: ["updateConfiguration"],
    arguments: [ids.target],
    options: [
      {
        name: "configuration",
        value: "FILE",
        description: "a JSON file with the changes, or - for standard input",
        required: true,
      },
    ],
    examples: [
      "switchyard deployments config mdl_01 --output json > invoices.json",
      "switchyard deployments update-config mdl_01 --configuration invoices.json",
    ],
    run: async (context, input) => {
      const request = { ...(await configurationOf(context, input)), deploymentId: input.argument("deploymentId") };
      await context.call("updateConfiguration", request, configurationView);
    },
  },
  operation({
    noun: "deployments",
    verb: "versions",
    summary: "List the versions of a model's configuration, newest first, with the deployments that serve them",
    call: "listConfigurationVersions",
    arguments: [ids.target],
    view: ({ data }) => [
      table(
        [
          { title: "version", right: true },
          { title: "id", content: "id" },
          { title: "current" },
          { title: "tables", right: true },
          { title: "columns", right: true },
          { title: "served by", content: "text" },
          { title: "created", content: "time" },
          { title: "created by", content: "reference" },
        ],
        data.map(
          ({ version, extractionSchemaId, isCurrent, tableCount, columnCount, servedBy, createdAt, createdBy }) => [
            version,
            extractionSchemaId,
            isCurrent ? "yes" : "no",
            tableCount,
            columnCount,
            servedBy.map(({ name }) => name).join(", "),
            createdAt,
            createdBy,
          ],
        ),
      ),
    ],
  }),
  operation({
    noun: "deployments",
    verb: "diff",
    summary: "Show the columns that differ between two versions of a model's configuration",
    call: "diffConfigurations",
    arguments: [ids.target],
    options: [
      { name: "from", value: "VERSION", description: "the number or the ID of the earlier version", required: true },
      {
        name: "to",
        value: "VERSION",
        description: "the number or the ID of the later version; by default, that of the argument",
      },
    ],
    examples: ["switchyard deployments diff mdl_01 --from 1"],
    view: ({ from, to, parts, added, removed, changed }) => [
      fields(
        ["from", from === null ? null : `${from.version} (${from.extractionSchemaId})`],
        ["to", to === null ? null : `${to.version} (${to.extractionSchemaId})`],
        ["changed parts", parts.join(", ")],
      ),
      table(
        [{ title: "change" }, { title: "table" }, { title: "column" }, { title: "fields", content: "text" }],
        [
          ...differenceRows("ADDED", added),
          ...differenceRows("REMOVED", removed),
          ...differenceRows("CHANGED", changed),
        ],
      ),
    ],
  }),
];
