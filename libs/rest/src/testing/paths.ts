import { createRestApi } from "../api.ts";
import { createJsonWriters } from "../responses/writer.ts";
import { parseTemplate } from "../routing/template.ts";
import { problemOf, type MatchCase, type TemplateCase } from "./case.ts";
import { createService, toJsonName, type MethodSource } from "./contract.ts";

/** Parses the template of a case. Returns how the result differs from the fact; undefined if it does not. */
export function runTemplate({ template, error, segments, vars, verb }: TemplateCase): string | undefined {
  let parsed;
  try {
    parsed = parseTemplate(template);
  } catch (problem) {
    return error === true ? undefined : `is refused: ${problemOf(problem)}`;
  }
  if (error === true) return "is not refused";
  const found = {
    segments: parsed.segments.map((segment) =>
      segment.kind === "literal" ? segment.value : segment.kind === "one" ? "*" : "**",
    ),
    vars: parsed.variables.map(({ field, start, end, open }) => [field, start, open ? -1 : end]),
    verb: parsed.verb ?? "",
  };
  const wanted = { segments: segments ?? found.segments, vars: vars ?? found.vars, verb: verb ?? found.verb };
  return differ(found, wanted);
}

/** Looks up the path of a case in an API with its routes, and reads the variables and the query into the message of the route. */
export function runMatch({ routes, req, query = "", route, vars }: MatchCase): string | undefined {
  const sources = routes.map((text, index) => createRoute(text, index, query));
  let api;
  try {
    api = createRestApi([
      createService({
        messages: Object.assign({}, ...sources.map(({ messages }) => messages)) as Record<string, readonly string[]>,
        methods: sources.map(({ method }) => method),
      }),
    ]);
  } catch (problem) {
    return `is refused at start: ${problemOf(problem)}`;
  }
  const [method = "", target = ""] = req.split(" ");
  const match = api.match(method, target.split("?")[0] ?? "");
  if (match.kind !== "found") return differ(null, route);
  const index = routes.indexOf(routes[Number(match.target.route.method.name.slice(1))] ?? "");
  if (index !== route) return differ(index, route);
  if (vars === undefined || vars === null) return undefined;
  const outcome = match.target.read({ variables: match.variables, query, body: new Uint8Array() });
  if (!outcome.ok) return `is refused: ${JSON.stringify(outcome.violations)}`;
  const printed = createJsonWriters().message(match.target.route.method.input)(outcome.value);
  const names = [...new Set([...variablesOf(routes[index] ?? ""), ...Object.keys(vars)])];
  const found = Object.fromEntries(names.map((name) => [name, getValue(JSON.parse(printed), name)]));
  return differ(found, Object.fromEntries(names.map((name) => [name, vars[name] ?? ""])));
}

/** Describes how a result differs from what is wanted; undefined if they are equal. */
export function differ(found: unknown, wanted: unknown): string | undefined {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  return one === other ? undefined : `is ${one}, not ${other}`;
}

function variablesOf(route: string): readonly string[] {
  return [...route.matchAll(/\{([\w.]+)/g)].map(([, name = ""]) => name);
}

function getValue(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce((inner, name) => (inner as Readonly<Record<string, unknown>> | null)?.[toJsonName(name)], value);
}

/** Creates a method with a request message of strings, which has the variables of its route and the parameters of the query. */
function createRoute(rule: string, index: number, query: string) {
  const messages: Record<string, string[]> = {};
  const add = (message: string, path: readonly string[]): void => {
    const [name = "", ...rest] = path;
    const fields = (messages[message] ??= []);
    const inner = `${message}_${name}`;
    const field = rest.length > 0 ? `${inner} ${name}` : `string ${name}`;
    if (!fields.some((other) => other.endsWith(` ${name}`))) fields.push(field);
    if (rest.length > 0) add(inner, rest);
  };
  const input = `R${index}`;
  messages[input] = [];
  const parameters = [...new URLSearchParams(query).keys()];
  for (const name of [...variablesOf(rule), ...parameters]) add(input, name.split("."));
  return { messages, method: { name: `M${index}`, rule: { rule }, input, output: input } satisfies MethodSource };
}
