import { parseJsonBody, type BatchClassifyResponse } from "@switchyard/client";
import { table } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { exitCodes } from "../../terminal/exit-codes.ts";
import { readJson } from "../../transfer/input-data.ts";
import { ids } from "../ids.ts";
import { explanationView } from "./explanation-view.ts";
import { recordColumns, recordRow, recordView } from "./record-view.ts";

const record = { name: "classificationId", description: "the classification's ID" } as const;
const noExtract = {
  name: "no-extract",
  member: "extract",
  to: false,
  description: "do not extract the document",
} as const;

/** The commands that review classifications, and that classify again or many at once. */
export const reviewCommands: readonly Command[] = [
  operation({
    noun: "classify",
    verb: "review",
    summary: "Say which route a classified document belongs to, so that the classifier learns from it",
    details: "The classification keeps its own decision. Reviewed again, the last review counts.",
    call: "reviewClassification",
    arguments: [ids.classifier, record],
    options: [
      { name: "route-id", value: "ID", description: "the right route" },
      { name: "no-route", member: "routeId", to: null, description: "the document belongs to no route" },
      noExtract,
    ],
    examples: ["switchyard classify review clf_01 cls_01 --route-id rte_01"],
    view: recordView,
  }),
  operation({
    noun: "classify",
    verb: "remove-review",
    summary: "Take a review back, with what was learned from it",
    call: "deleteReview",
    arguments: [ids.classifier, record],
    done: (input) => `The review of ${input.argument("classificationId")} is removed.`,
  }),
  operation({
    noun: "classify",
    verb: "reclassify",
    summary: "Classify the document of a classification again, as a new classification",
    call: "reclassify",
    arguments: [ids.classifier, record],
    options: [
      noExtract,
      { name: "explain", description: "include the terms that contributed to the scores (with JSON output)" },
    ],
    view: recordView,
  }),
  operation({
    noun: "classify",
    verb: "explain",
    summary: "Show which terms of a classified document spoke for and against each route",
    details:
      "If no terms were stored with the classification, the document is decided again with the current engine, routes and settings, and nothing is recorded.",
    call: "getExplanation",
    arguments: [ids.classifier, record],
    view: explanationView,
  }),
  {
    noun: "classify",
    verb: "batch",
    summary: "Classify up to 100 texts or files of a project with one request",
    details:
      "Items that cannot be classified are reported on standard error, and the exit code is 1; the others are classified. `classify run` classifies files of this computer.",
    calls: ["batchClassify"],
    arguments: [ids.classifier],
    options: [
      {
        name: "items",
        value: "JSON",
        description:
          "a list of objects with fileId or text, and optionally externalId and extract, as JSON, @FILE or - for standard input",
        required: true,
      },
    ],
    examples: [`switchyard classify batch clf_01 --items '[{"fileId": "fil_01"}, {"text": "Invoice 7"}]'`],
    async run(context, input) {
      const { io } = context;
      const items = (await readJson(io, "items", input.required("items"))) as [];
      const request = { classifierId: input.argument("classifierId"), items };
      const response = await (await context.client()).exchange("batchClassify", request, { signal: io.signal });
      const { data } = parseJsonBody(response) as BatchClassifyResponse;
      const records = data.flatMap(({ classification }) =>
        classification === null ? [] : [recordRow(classification)],
      );
      if (context.json) context.body(response);
      else context.show([table(recordColumns, records)]);
      const failed = data.filter(({ problem }) => problem !== null);
      for (const { index, problem } of failed) context.note(`item ${index}: ${problem?.detail} (${problem?.code})`);
      return failed.length > 0 ? exitCodes.error : exitCodes.done;
    },
  },
  operation({
    noun: "review",
    verb: "list",
    summary: "List what a person should look at next, the most useful first",
    call: "listReview",
    options: [
      { name: "project-id", value: "ID", description: "the project", required: true },
      {
        name: "kind",
        value: "KIND",
        description: "only list items of this kind",
        choices: ["CLASSIFICATION", "EXTRACTION"],
      },
    ],
    view: ({ data }) => [
      table(
        [
          { title: "kind" },
          { title: "id", content: "id" },
          { title: "filename", content: "text" },
          { title: "reason" },
          { title: "confidence", right: true },
          { title: "file", content: "reference" },
          { title: "created", content: "time" },
        ],
        data.map(({ kind, classificationId, extractionId, filename, reason, confidence, fileId, createdAt }) => [
          kind,
          classificationId ?? extractionId,
          filename,
          reason?.code,
          confidence?.toFixed(2),
          fileId,
          createdAt,
        ]),
      ),
    ],
  }),
];
