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
  {
    noun: "projects",
    verb: "events",
    summary: "Show what happens in a project from now on: classifications, extractions, reviews, runs and jobs",
    details:
      "With JSON output, prints one event per line. The command runs until it is interrupted, the token loses its access, or the server cannot be reached. If the server closes the stream, the command opens it again, and prints a note: events may have been missed.",
    calls: ["watchProjectEvents"],
    arguments: [ids.project],
    options: [{ name: "count", value: "NUMBER", description: "end after this many events", between: [1, 1_000_000] }],
    async run(context, input) {
      const { io, json } = context;
      const client = await context.client();
      const request = { projectId: input.argument("projectId") };
      let left = input.integer("count") ?? Infinity;
      let first = true;
      for (;;) {
        for await (const event of client.watchProjectEvents(request, { signal: io.signal })) {
          const { kind, id, status, at } = event;
          if (json) io.stdout.write(`${JSON.stringify(event)}\n`);
          else context.show([table(eventColumns, [[at, kind, id, status]])], first);
          first = false;
          left -= 1;
          if (left === 0) return;
        }
        // A server that stops ends its streams too, and another may take its place.
        context.note("The server closed the stream. It is opened again; events may have been missed.");
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
  },
];

/** The pause before a closed stream is opened again, in milliseconds. */
const pauseMs = 500;

const eventColumns = [
  { title: "at", content: "time" },
  { title: "kind" },
  { title: "id", content: "id" },
  { title: "status" },
] as const;
