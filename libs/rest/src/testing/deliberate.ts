import type { Case } from "./case.ts";
import {
  hasTrailingComma,
  hasVerbOfNoRoute,
  isAccepted,
  isEnumName,
  levelsOf,
  namesFieldOfContract,
  namesUnknownField,
  parametersOf,
  repeatsField,
  shapeOf,
  templatesOf,
  valuesOf,
  type BodyValue,
} from "./conditions.ts";

/** A rule of other projects that this one does not have. Every case that it applies to must differ, so that the list stays exact. */
export interface Difference {
  readonly reason: string;
  applies(fact: Case): boolean;
}

const hasTemplate = (fact: Case, pattern: RegExp): boolean =>
  templatesOf(fact).some((template) => pattern.test(template));

const hasParameter = (fact: Case, name: RegExp, value = /^/): boolean =>
  parametersOf(fact).some((parameter) => name.test(parameter[0]) && value.test(parameter[1]));

const hasValue = (fact: Case, key: RegExp, is: (value: BodyValue["value"]) => boolean): boolean =>
  valuesOf(fact).some((member) => key.test(member.key) && is(member.value));

const hasText = (fact: Case, key: RegExp, text: RegExp): boolean =>
  hasValue(fact, key, (value) => typeof value === "string" && text.test(value));

/** Whether a case sets an option of another project. */
const hasOption = (fact: Case, option: RegExp): boolean =>
  fact.kind === "match" && (fact.options ?? []).some((name) => option.test(name));

const oddDuration = /^(?:\+|%2B|-?\.)|\.s$/i;

/** The differences from other projects, with their reasons. */
export const differences: readonly Difference[] = [
  {
    reason: "google.api.http: ** must be the last part of the path.",
    applies: (fact) => hasTemplate(fact, /\*\*\}?\//),
  },
  {
    reason: "google.api.http: a variable must not contain other variables.",
    applies: (fact) => hasTemplate(fact, /\{[^}]*\{/),
  },
  {
    reason:
      "google.api.http: a colon begins the verb, so literals and verbs contain none; both have at least one character.",
    applies: (fact) => hasTemplate(fact, /:[^:]*[:/}]|:$|^\/:/),
  },
  {
    reason: "google.api.http: an asterisk is a whole segment, so a literal contains none.",
    applies: (fact) => hasTemplate(fact, /[^/={*]\*/),
  },
  {
    reason: "RFC 3986, section 6.2.2.1: percent-encodings are equal in both cases, so a template has them in capitals.",
    applies: (fact) =>
      fact.kind === "template" &&
      [...(fact.segments ?? []), fact.verb ?? ""].some((text) => /%(?:[a-f]|[0-9A-F][a-f])/.test(text)),
  },
  {
    reason: "Two routes of the same method and shape are refused at start; none of them is chosen or dropped silently.",
    applies: (fact) => fact.kind === "match" && new Set(fact.routes.map(shapeOf)).size < fact.routes.length,
  },
  {
    reason:
      "A verb that no route of the path has is a part of the value, because IDs may contain a colon; there is no option.",
    applies: (fact) => hasVerbOfNoRoute(fact, hasOption(fact, /^match_unregistered_custom_verb$/)),
  },
  {
    reason:
      "google.api.http: the path is divided before it is decoded, and %2F in a value of several segments stays; there is no option.",
    applies: (fact) =>
      hasOption(fact, /^(?:UnescapingMode(?:Legacy|AllCharacters)|kAllCharacters)$/) &&
      fact.kind === "match" &&
      /%2f/i.test(fact.req) &&
      fact.routes.some((route) => route.startsWith(fact.req.slice(0, fact.req.indexOf(" ") + 1))),
  },
  {
    reason: "google.api.http: %2F and %2f in a value of several segments are left unchanged.",
    applies: (fact) =>
      fact.kind === "match" &&
      isAccepted(fact) &&
      fact.req.includes("%2f") &&
      Object.values(fact.vars ?? {}).some((value) => count(value, "%2F") > count(fact.req, "%2F")),
  },
  {
    reason: "A plus sign in a query is a space, as browsers send it; there is no option.",
    applies: (fact) => {
      const wanted = fact.kind === "request" ? fact.want.ok : fact.kind === "match" ? fact.vars : undefined;
      const values = parametersOf(fact).map(([, value]) => value);
      return values.some((value) => value.includes("+")) && count(JSON.stringify(wanted), "+") > escapedPluses(values);
    },
  },
  {
    reason: "Requests have the names of REST (json_name) only, not those of the contract.",
    applies: (fact) => hasParameter(fact, /^\w*_/) || namesFieldOfContract(fact),
  },
  {
    reason: "Unknown parameters and fields are refused, with their names.",
    applies: namesUnknownField,
  },
  {
    reason: "google.api.http: a field is set by the path, the body or the query, and by one of them only.",
    applies: (fact) =>
      fact.kind === "request" &&
      fact.path.startsWith("/shelves/") &&
      (hasParameter(fact, /^shelf(?:Id$|\.)/) || hasValue(fact, /^shelfId$/, () => true)),
  },
  {
    reason:
      "google.api.http: a parameter is a scalar, a list of them, or a field of a message; maps, Struct and Value have no names.",
    applies: (fact) => hasParameter(fact, /(?:^|\.)(?:map[A-Z]|(?:optional|repeated)(?:Struct|Value|ListValue))/),
  },
  {
    reason: "An enum value has one name: that of the contract without the prefix of its type, and not its number.",
    applies: (fact) =>
      parametersOf(fact).some(([name, value]) => /Enum$/.test(name) && value !== "null" && !isEnumName(value)) ||
      hasValue(fact, /Enum$|NullValue$/, (value) => typeof value === "number") ||
      hasValue(fact, /Enum$/, (value) => typeof value === "string" && !isEnumName(value)),
  },
  {
    reason: "JSON types are exact: a number is no string, and NaN and Infinity are no numbers.",
    applies: (fact) =>
      hasText(fact, /(?:U?int32|S(?:int|fixed)32|Fixed32|Float|Double)(?:Wrapper)?$|^a$/i, /^/) ||
      hasParameter(fact, /(?:Float|Double)(?:Wrapper)?$/, /^-?(?:NaN|Infinity)$/),
  },
  {
    reason:
      "A parameter is a text and not JSON: a string has no quotes, null is no value, and a boolean is true or false.",
    applies: (fact) =>
      hasParameter(fact, /Bool(?:Wrapper)?$/, /^(?:[01tTfF]|TRUE|True|FALSE|False)$/) ||
      hasParameter(fact, /(?:Enum|Timestamp|Duration)$/, /^null$/) ||
      hasParameter(fact, /(?:Timestamp|Duration)$/, /^%22/) ||
      (fact.kind === "request" &&
        hasParameter(fact, /String(?:Wrapper)?$/, /^%22.*%22$/) &&
        !JSON.stringify(fact.want.ok).includes('\\"')),
  },
  {
    reason:
      "Bytes in JSON are base64 of the standard alphabet with padding; other forms are accepted in paths and queries only.",
    applies: (fact) => hasText(fact, /Bytes(?:Wrapper)?$/, /[-_]|^(?:.{4})*.{2,3}$/),
  },
  {
    reason:
      "A duration is a number as in JSON, followed by s: without a plus sign, and with digits on both sides of a point.",
    applies: (fact) => hasText(fact, /Duration$/, oddDuration) || hasParameter(fact, /Duration$/, oddDuration),
  },
  {
    reason: "RFC 8259: there is no comma after the last element of a list or member of an object.",
    applies: hasTrailingComma,
  },
  {
    reason: "A body names a field once, and one field of a oneof: neither the first nor the last is chosen silently.",
    applies: repeatsField,
  },
  {
    reason: "Protobuf decodes at most 100 messages within each other, so 50 levels of a Value or Struct are refused.",
    applies: (fact) => hasValue(fact, /(?:Struct|Value)$/, (value) => levelsOf(value) >= 50),
  },
  {
    reason: "Counts are JSON numbers, so 64-bit integers, whose JSON is a string, are refused at start.",
    applies: (fact) =>
      (fact.kind === "json" && /"\w*[a-z]64\w*"\s*:/i.test(fact.body)) ||
      hasParameter(fact, /64/) ||
      (fact.kind === "request" && hasValue(fact, /64/, () => true)),
  },
  {
    reason: "google.protobuf.Any is refused at start: a contract names the types of its fields.",
    applies: (fact) =>
      (fact.kind === "json" && /"(?:optional|repeated)Any"/.test(fact.body)) ||
      (fact.kind === "request" && hasValue(fact, /Any$/, () => true)),
  },
];

function count(text: string | undefined, part: string): number {
  return (text ?? "").split(part).length - 1;
}

function escapedPluses(values: readonly string[]): number {
  return values.reduce((sum, value) => sum + count(value.toUpperCase(), "%2B"), 0);
}
