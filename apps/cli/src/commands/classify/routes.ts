import type { Field } from "../../operations/field.ts";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids } from "../ids.ts";
import { routeDetailView, routeView } from "./route-view.ts";

const settings: readonly Field[] = [
  { name: "description", value: "TEXT", description: "a description of the documents that belong to the route" },
  {
    name: "example",
    member: "examples",
    value: "TEXT",
    description: "a short text that belongs to the route",
    repeats: true,
    cleared: [],
  },
  {
    name: "min-confidence",
    value: "NUMBER",
    as: "number",
    description: "the minimum confidence for this route, from 0 to 1",
    cleared: null,
  },
];

/** The commands for the routes of a classifier. */
export const routeCommands: readonly Command[] = [
  operation({
    noun: "classify",
    verb: "add-route",
    summary: "Add a route to a model, or to one of its deployments",
    details:
      "A project-scoped classifier routes to models of its own project; a global classifier, to models of any project of the organization that you have access to.",
    call: "addRoute",
    arguments: [ids.classifier],
    options: [
      { name: "deployment-id", value: "ID", description: "the ID of the target model", required: true },
      {
        name: "target-deployment-id",
        value: "ID",
        description: "the ID of a deployment of that model; without it, the route targets the model itself",
      },
      { name: "name", value: "TEXT", description: "the route's name; without it, the name of the target" },
      ...settings.map(({ cleared: _, ...field }) => field),
      {
        name: "disabled",
        member: "enabled",
        to: false,
        description: "create the route disabled, so that it accepts no documents",
      },
    ],
    examples: ["switchyard classify add-route clf_01 --deployment-id mdl_01 --name Invoice"],
    view: (route) => routeView([route]),
  }),
  operation({
    noun: "classify",
    verb: "routes",
    summary: "List the routes of a classifier",
    call: "listRoutes",
    arguments: [ids.classifier],
    view: ({ data }) => routeView(data),
  }),
  operation({
    noun: "classify",
    verb: "get-route",
    summary: "Show a route with its examples and settings",
    call: "getRoute",
    arguments: [ids.classifier, ids.route],
    view: routeDetailView,
  }),
  operation({
    noun: "classify",
    verb: "update-route",
    summary: "Change a route, or enable or disable it",
    details: "Examples that are given replace the previous ones.",
    call: "updateRoute",
    arguments: [ids.classifier, ids.route],
    options: [
      { name: "name", value: "TEXT", description: "the route's name" },
      {
        name: "target-deployment-id",
        value: "ID",
        description: "the ID of a deployment of the route's model; cleared, the route targets the model itself",
        cleared: null,
      },
      ...settings,
      { name: "enabled", description: "enable the route" },
      {
        name: "disabled",
        member: "enabled",
        to: false,
        description: "disable the route, so that it accepts no documents",
      },
    ],
    examples: ["switchyard classify update-route clf_01 rte_01 --disabled --clear min-confidence"],
    view: routeDetailView,
  }),
  operation({
    noun: "classify",
    verb: "remove-route",
    summary: "Remove a route from a classifier",
    call: "deleteRoute",
    arguments: [ids.classifier, ids.route],
    done: (input) => `The route ${input.argument("routeId")} is removed.`,
  }),
];
