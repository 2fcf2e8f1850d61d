import { table } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids } from "../ids.ts";
import { recordColumns, recordRow } from "./record-view.ts";
import { resultFilters } from "./results.ts";

/** The commands that show what happens in a project. */
export const projectActivityCommands: readonly Command[] = [
  operation({
    noun: "projects",
    verb: "classifications",
    summary: "List the classifications of a project's documents, of all classifiers, newest first",
    call: "listProjectClassifications",
    arguments: [ids.project],
    options: [
      ...resultFilters,
      { name: "classifier-id", value: "ID", description: "only list classifications of this classifier" },
      { name: "from", value: "TIME", description: "only list classifications from this time on" },
      { name: "to", value: "TIME", description: "only list classifications before this time" },
    ],
    view: ({ data }) => [table(recordColumns, data.map(recordRow))],
  }),
];
