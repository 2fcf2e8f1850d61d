import { operation } from "../../operations/operation.ts";
import type { Field } from "../../operations/field.ts";
import type { Command } from "../../parsing/command.ts";
import { ids } from "../ids.ts";
import { reviewPolicyView, riskView } from "./risk-view.ts";

const promise: readonly Field[] = [
  {
    name: "error",
    value: "SHARE",
    description: "the share of wrong values among those that nobody looks at; 0.01 by default",
    as: "number",
  },
  {
    name: "confidence",
    value: "SHARE",
    description: "the confidence that no more values are wrong; 0.95 by default",
    as: "number",
  },
];

/** The commands about values that nobody has to look at. */
export const reviewPolicyCommands: readonly Command[] = [
  operation({
    noun: "deployments",
    verb: "risk",
    summary: "Show which extracted values nobody has to look at, so that few of them are wrong",
    details: "It is computed from the accepted files of the model. docs/scoring.md explains it.",
    call: "getRisk",
    arguments: [ids.target],
    options: promise,
    examples: ["switchyard deployments risk mdl_01 --error 0.02"],
    view: riskView,
  }),
  operation({
    noun: "deployments",
    verb: "review-policy",
    summary: "Show the review policy of a model",
    call: "getReviewPolicy",
    arguments: [ids.target],
    view: reviewPolicyView,
  }),
  operation({
    noun: "deployments",
    verb: "set-review-policy",
    summary: "Let the review list leave out values that nobody has to look at",
    details:
      "The policy is computed from the accepted files of the model, and again when files are accepted. While it is not possible, the review list is the same as without one.",
    call: "setReviewPolicy",
    arguments: [ids.target],
    options: promise,
    examples: ["switchyard deployments set-review-policy mdl_01 --error 0.02 --confidence 0.95"],
    view: reviewPolicyView,
  }),
  operation({
    noun: "deployments",
    verb: "remove-review-policy",
    summary: "Remove the review policy of a model",
    call: "deleteReviewPolicy",
    arguments: [ids.target],
    done: (input) => `The review policy of ${input.argument("deploymentId")} is removed.`,
  }),
];
