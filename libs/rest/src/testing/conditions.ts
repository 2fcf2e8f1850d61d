import type { Case } from "./case.ts";
import { enums, messages } from "./messages.ts";
import { toJsonName } from "./contract.ts";

/** A value in a JSON body, with the name of its field. Elements have the name of their list, without "repeated", and values that of their map. */
export interface BodyValue {
  readonly key: string;
  readonly value: unknown;
}

/** Whether the other project accepts what the case describes: a template, a path, a request or a body. */
export function isAccepted(fact: Case): boolean {
  switch (fact.kind) {
    case "template":
      return fact.error !== true;
    case "match":
      return fact.route !== null;
    case "request":
    case "rule":
      return fact.want.ok !== undefined || fact.want.patchId !== undefined;
    case "json":
      return fact.valid;
  }
}

/** Returns the templates of a case that the other project accepts, without their methods. */
export function templatesOf(fact: Case): readonly string[] {
  if (fact.kind === "template") return isAccepted(fact) ? [fact.template] : [];
  return fact.kind === "match" ? fact.routes.map((route) => route.slice(route.indexOf(" ") + 1)) : [];
}

/** Returns the shape of a template: its literals and wildcards, without the names of its variables. */
export function shapeOf(template: string): string {
  return template.replace(/\{[^{}=]*\}/g, "*").replace(/\{[^{}=]*=([^{}]*)\}/g, "$1");
}

/** Whether a path matches a template whose verb, if it has one, is a part of the last segment. */
export function matchesShape(template: string, path: string): boolean {
  const pattern = shapeOf(template)
    .replace(/[.+?^$()|[\]\\]/g, "\\$&")
    .replace(/\/\*\*/g, "(?:/.#)?")
    .replace(/\*/g, "[^/]+")
    .replaceAll("#", "*");
  return new RegExp(`^${pattern}$`).test(path);
}

/**
 * Whether the other project refuses a path because its last segment ends in a verb that no route of this path has: a verb of other paths, or
 * `any` one.
 */
export function hasVerbOfNoRoute(fact: Case, any: boolean): boolean {
  if (fact.kind !== "match" || isAccepted(fact)) return false;
  const [method = "", path = ""] = fact.req.split(" ");
  const verb = /:[^:/]+$/.exec(path)?.[0];
  if (verb === undefined || !(any || templatesOf(fact).some((template) => template.endsWith(verb)))) return false;
  const matching = fact.routes.filter((route) => matchesShape(route.slice(route.indexOf(" ") + 1), path));
  return matching.some((route) => route.startsWith(`${method} `)) && !matching.some((route) => route.endsWith(verb));
}

/** Returns the parameters of a request that the other project accepts. Names are decoded, values are not. */
export function parametersOf(fact: Case): readonly (readonly [name: string, value: string])[] {
  const query = fact.kind === "request" || fact.kind === "match" ? (fact.query ?? "") : "";
  if (!isAccepted(fact) || query === "") return [];
  return query
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const [name = "", ...value] = part.split("=");
      return [new URLSearchParams(`${name}=`).keys().next().value ?? "", value.join("=")];
    });
}

/** Returns the values in a JSON body that the other project accepts, at every depth. */
export function valuesOf(fact: Case): readonly BodyValue[] {
  const body = fact.kind === "json" || fact.kind === "request" ? fact.body : undefined;
  if (body === undefined || !isAccepted(fact)) return [];
  try {
    return listValues("", JSON.parse(body));
  } catch {
    return [];
  }
}

function listValues(key: string, value: unknown): readonly BodyValue[] {
  if (/^(?!repeated).*(?:Struct|Value)$/.test(key)) return [{ key, value }];
  if (Array.isArray(value)) return value.flatMap((element) => listValues(key.replace(/^repeated/, ""), element));
  if (typeof value !== "object" || value === null) return [{ key, value }];
  const isMap = /^map[A-Z]/.test(key);
  return Object.entries(value).flatMap(([name, inner]) => listValues(isMap ? key : name, inner));
}

/** Whether the other project accepts a body that is JSON only without the commas after its last elements and members. */
export function hasTrailingComma(fact: Case): boolean {
  const body = fact.kind === "json" || fact.kind === "request" ? fact.body : undefined;
  return body !== undefined && isAccepted(fact) && !isJson(body) && isJson(body.replace(/,(\s*[\]}])/g, "$1"));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is the REST name of a value of an enum of the cases. */
export function isEnumName(text: string): boolean {
  return Object.values(enums).some((values) =>
    values.some((value) => value.replace(/^PREFIXED_ENUM_(?:UNSPECIFIED)?|=.*$/g, "") === text && text !== ""),
  );
}

/** Returns how deeply objects and lists are nested in a value, counting the value itself. */
export function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

/** Whether a request names a field that its message does not have, by its name in the contract or in JSON. */
export function namesUnknownField(fact: Case): boolean {
  const parameters = parametersOf(fact).map(([name]) => name.split(/[.[]/)[0] ?? "");
  if (fact.kind === "json" || (fact.kind === "request" && /^\/(?:query|echo)$/.test(fact.path)))
    return [...parameters, ...keysOf(fact, /^/)].some(
      (name) => !jsonNames.has(name) && !jsonNames.has(toJsonName(name)),
    );
  return fact.kind === "request" && valuesOf(fact).some(({ key }) => /^unknown/.test(key));
}

/** Whether a body has the name of a field in the contract that is not its name in JSON. */
export function namesFieldOfContract(fact: Case): boolean {
  return keysOf(fact, /^/).some((name) => !jsonNames.has(name) && jsonNames.has(toJsonName(name)));
}

/** Whether a body has a field twice, or two fields of a oneof. */
export function repeatsField(fact: Case): boolean {
  const keys = keysOf(fact, /^(?!null)/);
  return new Set(keys).size < keys.length || keys.filter((key) => key.startsWith("oneof")).length > 1;
}

const jsonNames: ReadonlySet<string> = new Set(
  (messages["Everything"] ?? []).map((field) => toJsonName(field.slice(field.lastIndexOf(" ") + 1))),
);

/** Returns the keys of an object that the other project accepts as a body, with duplicates, whose values are like a pattern. */
function keysOf(fact: Case, value: RegExp): readonly string[] {
  let text = (fact.kind === "json" || fact.kind === "request" ? fact.body : undefined)?.trim() ?? "";
  if (!isAccepted(fact) || !text.startsWith("{")) return [];
  text = text.slice(1, -1);
  for (let inner = ""; inner !== text;) {
    inner = text;
    text = text.replace(/[{[][^{}[\]]*[}\]]/g, "0");
  }
  return [...text.matchAll(/"(\w+)"\s*:\s*([^\s,]*)/g)].flatMap(([, key = "", start = ""]) =>
    value.test(start) ? [key] : [],
  );
}
