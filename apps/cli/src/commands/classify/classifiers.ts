import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids, nameOption, projectIdOption } from "../ids.ts";
import { classifierDetailView, classifierView } from "./classifier-view.ts";

const settings = [
  { name: "description", value: "TEXT", description: "a description of the classifier" },
  {
    name: "settings",
    value: "JSON",
    as: "json",
    description:
      "the settings for classification, such as '{\"minConfidence\": 0.8}', as JSON, @FILE or - for standard input; what is left out gets its default",
  },
] as const;

/** The commands for classifiers, without their routes and records. */
export const classifierCommands: readonly Command[] = [
  operation({
    noun: "classify",
    verb: "list",
    summary: "List the classifiers of a project, including global ones that route into it",
    call: "listClassifiers",
    options: [projectIdOption],
    examples: ["switchyard classify list --project-id prj_01"],
    view: classifierView,
  }),
  operation({
    noun: "classify",
    verb: "create",
    summary: "Create a classifier in a project",
    details: "A new classifier always belongs to a project. `classify make-global` makes it global.",
    call: "createClassifier",
    options: [
      { ...projectIdOption, description: "the owning project" },
      nameOption("classifier", "required"),
      ...settings,
    ],
    view: (classifier) => classifierView([classifier]),
  }),
  operation({
    noun: "classify",
    verb: "get",
    summary: "Show a classifier with its routes and settings",
    call: "getClassifier",
    arguments: [ids.classifier],
    view: classifierDetailView,
  }),
  operation({
    noun: "classify",
    verb: "update",
    summary: "Change the name, the description or the settings of a classifier",
    call: "updateClassifier",
    arguments: [ids.classifier],
    options: [nameOption("classifier"), ...settings],
    examples: ["switchyard classify update clf_01 --settings '{\"minConfidence\": 0.8}'"],
    view: (classifier) => classifierView([classifier]),
  }),
  operation({
    noun: "classify",
    verb: "delete",
    summary: "Delete a classifier",
    details: "Its classifications stay readable. The command does not ask first.",
    call: "deleteClassifier",
    arguments: [ids.classifier],
    done: (input) => `The classifier ${input.argument("classifierId")} is deleted.`,
  }),
  operation({
    noun: "classify",
    verb: "make-global",
    summary: "Make a classifier global, so that it can route into every project of the organization",
    details:
      "Its routes are kept. Requires the permission organization:models:edit, and a name that no other classifier of the organization has.",
    call: "makeGlobal",
    arguments: [ids.classifier],
    view: (classifier) => classifierView([classifier]),
  }),
  operation({
    noun: "classify",
    verb: "make-project-scoped",
    summary: "Make a global classifier project-scoped, if all of its routes target models of one project",
    details: "Requires the permission organization:models:edit.",
    call: "makeProjectScoped",
    arguments: [ids.classifier],
    view: (classifier) => classifierView([classifier]),
  }),
];
