import { parseJsonBody } from "@switchyard/client";
import type { Quality } from "@switchyard/client";
import { fields, table, type View } from "@switchyard/terminal";
import type { Command } from "../../parsing/command.ts";
import { exitCodes, UsageError } from "../../terminal/exit-codes.ts";
import { percent } from "../benchmarks/metrics-view.ts";
import { ids } from "../ids.ts";

/** Formats how well a classifier decides. */
function qualityView({ reviewed, routes, confusion, calibrationError, threshold }: Quality): View {
  const names = new Map(routes.map(({ routeId, routeName }) => [routeId, routeName]));
  const nameOf = (id: string | null, other: string): string => (id === null ? other : (names.get(id) ?? id));
  return [
    fields(
      ["reviewed documents", reviewed],
      ["calibration error", percent(calibrationError)],
      ["threshold", threshold === null ? null : threshold.threshold],
      ["wanted precision", percent(threshold?.precision)],
      ["lower bound", percent(threshold?.lowerBound)],
      ["coverage", percent(threshold?.coverage)],
    ),
    table(
      [
        { title: "route", content: "text" },
        { title: "precision", right: true },
        { title: "recall", right: true },
        { title: "documents", right: true },
      ],
      routes.map(({ routeName, precision, precisionCi95, recall, recallCi95, support }) => [
        routeName,
        percent(precision, precisionCi95),
        percent(recall, recallCi95),
        support,
      ]),
    ),
    table(
      [
        { title: "belongs to", content: "text" },
        { title: "decided", content: "text" },
        { title: "count", right: true },
      ],
      confusion.map(({ reviewed: right, decided, count }) => [
        nameOf(right, "no route"),
        nameOf(decided, "UNCLASSIFIED"),
        count,
      ]),
    ),
  ];
}

function toShare(text: string): number {
  const share = Number(text);
  if (text.trim() === "" || !(share >= 0 && share <= 1))
    throw new UsageError(`--precision takes a number from 0 to 1, not "${text}"`);
  return share;
}

/** The command that measures a classifier, and sets its threshold. */
export const qualityCommand: Command = {
  noun: "classify",
  verb: "quality",
  summary: "Show how well a classifier decides, over its reviewed documents",
  details:
    "With --precision, also shows the lowest threshold (minConfidence) for that precision, which --apply sets. The exit code is 1 if there are not enough reviewed documents to set it.",
  calls: ["getQuality", "getClassifier", "updateClassifier"],
  arguments: [ids.classifier],
  options: [
    { name: "precision", value: "SHARE", description: "the precision to find a threshold for: 0.98" },
    { name: "replay", description: "decide the documents again with the current engine, routes and settings" },
    { name: "apply", description: "set the threshold" },
  ],
  examples: ["switchyard classify quality clf_01", "switchyard classify quality clf_01 --precision 0.98 --apply"],
  async run(context, input) {
    const classifierId = input.argument("classifierId");
    const wanted = input.text("precision");
    if (input.on("apply") && wanted === undefined) throw new UsageError("--apply requires --precision");
    const request = {
      classifierId,
      ...(wanted === undefined ? {} : { precision: toShare(wanted) }),
      ...(input.on("replay") ? { replay: true } : {}),
    };
    const client = await context.client();
    const options = { signal: context.io.signal };
    const response = await client.exchange("getQuality", request, options);
    const quality = parseJsonBody(response) as Quality;
    if (context.json) context.body(response);
    else context.show(qualityView(quality));
    if (wanted === undefined || quality.threshold !== null) {
      if (input.on("apply") && quality.threshold !== null) {
        const { threshold } = quality.threshold;
        // An update replaces all settings.
        const { settings } = await client.getClassifier({ classifierId }, options);
        await client.updateClassifier({ classifierId, settings: { ...settings, minConfidence: threshold } }, options);
        context.note(`The classifier now routes documents with a confidence of at least ${String(threshold)}.`);
      }
      return exitCodes.done;
    }
    context.note(`There are not enough reviewed documents for a precision of ${wanted}.`);
    return input.on("apply") ? exitCodes.error : exitCodes.done;
  },
};
