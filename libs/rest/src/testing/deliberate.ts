import type { Case } from "./case.ts";

/** A rule of other projects that this one does not have. Every case that it applies to must differ, so that the list stays exact. */
export interface Difference {
  readonly reason: string;
  applies(fact: Case): boolean;
}

const isValidTemplate = (fact: Case, pattern: RegExp): boolean =>
  fact.kind === "template"
    ? fact.error !== true && pattern.test(fact.template)
    : fact.kind === "match" && fact.routes.some((route) => pattern.test(route));

const hasQuery = (fact: Case, pattern: RegExp): boolean =>
  fact.kind === "request" && fact.want.ok !== undefined && pattern.test(fact.query);

const isValidJson = (fact: Case, pattern: RegExp): boolean =>
  fact.kind === "json" && fact.valid && pattern.test(fact.body);

/** The differences from other projects, with their reasons. */
export const differences: readonly Difference[] = [
  {
    reason: "google.api.http: ** must be the last part of the path.",
    applies: (fact) => isValidTemplate(fact, /\*\*\}?\//),
  },
  {
    reason: "google.api.http: a variable must not contain other variables.",
    applies: (fact) => isValidTemplate(fact, /\{[^}]*\{/),
  },
  {
    reason:
      "google.api.http: a colon begins the verb, so literals and verbs contain none; both have at least one character.",
    applies: (fact) => fact.kind === "template" && isValidTemplate(fact, /:[^:]*[:/}]|:$|^\/:/),
  },
  {
    reason: "google.api.http: an asterisk is a whole segment, so a literal contains none.",
    applies: (fact) => fact.kind === "template" && isValidTemplate(fact, /[^/={*]\*/),
  },
  {
    reason: "Two routes of the same method and shape are refused at start; none of them is chosen or dropped silently.",
    applies: (fact) => fact.kind === "match" && new Set(fact.routes).size < fact.routes.length,
  },
  {
    reason: "A verb that no route has is a part of the value, because IDs may contain a colon; there is no option.",
    applies: (fact) =>
      fact.kind === "match" &&
      fact.options?.includes("match_unregistered_custom_verb") === true &&
      fact.req === "GET /person/jason:other",
  },
  {
    reason: "A plus sign in a query is a space, as browsers send it; there is no option.",
    applies: (fact) => fact.src.endsWith(":QueryParameterNotUnescapePlus"),
  },
  {
    reason: "Requests have the names of REST (json_name) only, not those of the contract.",
    applies: (fact) => hasQuery(fact, /^[a-z]+_[a-z0-9_.]*=/) || isValidJson(fact, /"[a-z]*_[a-z0-9_]*"\s*:/i),
  },
  {
    reason: "Unknown parameters and fields are refused, with their names.",
    applies: (fact) =>
      fact.kind === "request" && fact.want.ok !== undefined && /unknown/.test(fact.query + (fact.body ?? "")),
  },
  {
    reason:
      "google.api.http: a parameter is a scalar, a list of them, or a field of a message; maps and Struct have no names.",
    applies: (fact) => hasQuery(fact, /^(?:map|optionalStruct)/),
  },
  {
    reason: "An enum value has one name: that of the contract without the prefix of its type, and not its number.",
    applies: (fact) =>
      hasQuery(fact, /Enum=-?\d/) ||
      isValidJson(fact, /Enum"\s*:\s*-?\d/) ||
      (fact.kind === "request" &&
        fact.want.ok !== undefined &&
        /"(?:PREFIXED_ENUM_ONE|UNSPECIFIED)"/.test(fact.body ?? "")),
  },
  {
    reason: "JSON types are exact: a number is no string, and NaN and Infinity are no numbers.",
    applies: (fact) => isValidJson(fact, /(?:Int32|Uint32|Float|Double)"\s*:\s*"/),
  },
  {
    reason: "Bytes in JSON are base64 of the standard alphabet; base64url is accepted in paths and queries only.",
    applies: (fact) => fact.src.endsWith(":BytesFieldBase64Url"),
  },
  {
    reason: "Counts are JSON numbers, so 64-bit integers, whose JSON is a string, are refused at start.",
    applies: (fact) => fact.kind === "json" && /"\w*64\w*"/.test(fact.body),
  },
  {
    reason: "google.protobuf.Any is refused at start: a contract names the types of its fields.",
    applies: (fact) => fact.kind === "json" && /"(?:optional|repeated)Any"/.test(fact.body),
  },
];
