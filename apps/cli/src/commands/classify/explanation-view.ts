import type { Explanation } from "@switchyard/client";
import { fields, table, type View } from "@switchyard/terminal";
import { nameEngine } from "./record-view.ts";

/** Formats an explanation, with the terms of each route. */
export function explanationView(explanation: Explanation): View {
  const { classificationId, recorded, sameDecision, status, reason, routeName, engine } = explanation;
  return [
    fields(
      ["classification", classificationId],
      ["terms", recorded ? "stored with the classification" : "decided again"],
      ["same decision", sameDecision ? "yes" : "no"],
      ["status", status],
      ["reason", reason === null ? null : `${reason.code}: ${reason.message}`],
      ["route", routeName],
      ["engine", engine && nameEngine(engine.name, engine.modelName)],
      ["version", engine?.version],
      ["learned from", engine?.learnedFrom],
    ),
    table(
      [
        { title: "route", content: "text" },
        { title: "score", right: true },
        { title: "term", content: "text" },
        { title: "weight", right: true },
      ],
      explanation.scores.flatMap(({ routeName: route, score, evidence }) =>
        evidence === null || evidence.terms.length === 0
          ? [[route, score?.toFixed(4), null, null]]
          : evidence.terms.map(({ term, weight }) => [route, score?.toFixed(4), term, weight.toFixed(4)]),
      ),
    ),
  ];
}
