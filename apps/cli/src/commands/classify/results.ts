import type { Classification } from "@switchyard/client";
import { table } from "@switchyard/terminal";
import { pageOptions, type Command } from "../../parsing/command.ts";
import { ids } from "../ids.ts";
import { recordColumns, recordRow, recordView } from "./record-view.ts";

/** The options that filter classifications by their result. */
export const resultFilters = [
  {
    name: "status",
    value: "STATUS",
    description: "only list classifications with this status",
    choices: ["CLASSIFIED", "UNCLASSIFIED"],
  },
  { name: "reason", value: "CODE", description: "only list classifications with this reason, such as AMBIGUOUS" },
] as const;

/** The command for the records of a classifier. */
export const resultsCommand: Command = {
  noun: "classify",
  verb: "results",
  summary: "List the classifications of a classifier, newest first, or show one",
  calls: ["listClassifications", "getClassification"],
  arguments: [
    ids.classifier,
    { name: "classificationId", description: "show only this classification, with all scores", optional: true },
  ],
  options: [
    ...resultFilters,
    { name: "route-id", value: "ID", description: "only list classifications with this route" },
    { name: "external-id", value: "TEXT", description: "only list classifications with this external ID" },
    ...pageOptions,
  ],
  run: (context, input) => {
    const id = input.argument("classifierId");
    const classificationId = input.text("classificationId");
    if (classificationId !== undefined)
      return context.call("getClassification", { classifierId: id, classificationId }, recordView);
    const request = {
      classifierId: id,
      status: input.text("status") as Classification["status"] | undefined,
      reason: input.text("reason") as NonNullable<Classification["reason"]>["code"] | undefined,
      routeId: input.text("route-id"),
      externalId: input.text("external-id"),
    };
    return context.list("listClassifications", request, input, ({ data }) => [
      table(recordColumns, data.map(recordRow)),
    ]);
  },
};
