import type { EngineDescription } from "@switchyard/client";
import { table, type View } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";

function engineView(engines: readonly EngineDescription[]): View {
  return [
    table(
      [
        { title: "name", content: "text" },
        { title: "status" },
        { title: "learns" },
        { title: "images" },
        { title: "checked", content: "time" },
        { title: "models", content: "text" },
      ],
      engines.map(({ name, status, learns, images, checkedAt, models }) => [
        ...[name, status, learns, images, checkedAt],
        models.join(", "),
      ]),
    ),
  ];
}

/** The commands for engines. */
export const engineCommands: readonly Command[] = [
  operation({
    noun: "engines",
    verb: "list",
    summary: "List the engines that the organization may use",
    details: "The first model of an engine is used if settings name none.",
    call: "listEngines",
    view: ({ data }) => engineView(data),
  }),
];
