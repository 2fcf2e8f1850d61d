import type { ReviewPolicy, Risk } from "@switchyard/client";
import { fields, table, type View } from "@switchyard/terminal";
import { percent } from "../benchmarks/metrics-view.ts";

/** Formats which values may go unseen. */
export function riskView(risk: Risk): View {
  const { possible, error, confidence, coverage, threshold, values, filesUsed, filesNeeded } = risk;
  return [
    fields(
      ["wrong values at most", percent(error)],
      ["confidence", percent(confidence)],
      ["possible", possible ? "yes" : "no"],
      ["may go unseen", percent(coverage)],
      ["from a confidence of", threshold],
      ["values compared", values],
      ["files used", filesUsed],
      ["more files needed", filesNeeded],
    ),
    partsView(risk),
  ];
}

/** Formats the policy of a model, with what it lets go unseen if that has been computed. */
export function reviewPolicyView({ deploymentId, error, confidence, risk, computedAt, updatedAt }: ReviewPolicy): View {
  return [
    fields(
      ["model", deploymentId],
      ["wrong values at most", percent(error)],
      ["confidence", percent(confidence)],
      ["possible", risk === null ? "not computed yet" : risk.possible ? "yes" : "no"],
      ["may go unseen", percent(risk?.coverage)],
      ["from a confidence of", risk?.threshold ?? null],
      ["more files needed", risk?.filesNeeded ?? null],
      ["computed", computedAt],
      ["set", updatedAt],
    ),
    ...(risk === null ? [] : [partsView(risk)]),
  ];
}

function partsView({ bySource, byColumn }: Risk): View[number] {
  const parts = [
    ...bySource.map(({ source, ...part }) => ({ name: source, kind: "source", ...part })),
    ...byColumn.map(({ slug, ...part }) => ({ name: slug, kind: "column", ...part })),
  ];
  return table(
    [
      { title: "kind" },
      { title: "name", content: "text" },
      { title: "may go unseen", right: true },
      { title: "threshold", right: true },
      { title: "files", right: true },
      { title: "more needed", right: true },
    ],
    parts.map(({ kind, name, possible, coverage, threshold, filesUsed, filesNeeded }) => [
      kind,
      name,
      possible ? percent(coverage) : "not possible",
      threshold,
      filesUsed,
      filesNeeded,
    ]),
  );
}
