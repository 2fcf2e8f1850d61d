import type { Case } from "./case.ts";
import { differences } from "./deliberate.ts";
import { createRunner } from "./run.ts";

const run = createRunner();
const src = "own";

const template = (text: string, more: object = {}): Case => ({ kind: "template", src, template: text, ...more });
const match = (routes: readonly string[], req: string, route: number | null, more: object = {}): Case => ({
  ...{ kind: "match", src, routes, req, route, ...more },
});
const query = (text: string, ok: Readonly<Record<string, unknown>> = {}): Case => ({
  ...{ kind: "request", src, method: "GET", path: "/query", query: text, want: { ok } },
});
const echo = (body: string, ok: Readonly<Record<string, unknown>> = {}): Case => ({
  ...{ kind: "request", src, method: "POST", path: "/echo", query: "", body, want: { ok } },
});
const put = (parameters: string, body: string): Case => ({
  ...{ kind: "request", src, method: "PUT", path: "/shelves/1", query: parameters, body, want: { ok: { shelfId: 1 } } },
});
const json = (body: string): Case => ({ kind: "json", src, body, valid: true });

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** Facts of a gateway that does not have our rules, by the words with which the reason begins. */
const facts: readonly (readonly [reason: string, facts: readonly Case[]])[] = [
  ["google.api.http: ** must be", [template("/{a=b/**}/c"), match(["GET /**/c"], "GET /c", 0)]],
  ["google.api.http: a variable must not contain", [template("/{a={b}/c}"), match(["GET /{a={b}/c}"], "GET /d", null)]],
  ["google.api.http: a colon", [template("/a:b:c"), template("/a:"), match(["GET /a:b:c"], "GET /a:b:c", 0)]],
  ["google.api.http: an asterisk", [template("/a*")]],
  ["RFC 3986", [template("/%c3%a9", { segments: ["%c3%a9"] }), template("/a:%c3", { verb: "%c3" })]],
  ["Two routes", [match(["GET /a", "GET /a"], "GET /a", 1), match(["GET /{a}", "GET /{b=*}"], "GET /c", 0)]],
  [
    "A verb that no route of the path has",
    [
      match(["GET /a/{b}"], "GET /a/c:d", null, { options: ["match_unregistered_custom_verb"] }),
      match(["GET /a/**", "POST /b/{c}:d"], "GET /a/c:d", null),
    ],
  ],
  [
    "google.api.http: the path is divided",
    [
      match(["GET /{a}/b"], "GET /c%2fd/b", null, { options: ["UnescapingModeLegacy"] }),
      match(["GET /{a=**}"], "GET /c%2Fd", 0, { vars: { a: "c/d" }, options: ["UnescapingModeAllCharacters"] }),
    ],
  ],
  ["google.api.http: %2F and %2f", [match(["GET /{a=**}"], "GET /b%2fc", 0, { vars: { a: "b%2Fc" } })]],
  [
    "A plus sign",
    [
      query("maybeString=a+b%2B", { maybeString: "a+b+" }),
      match(["GET /a"], "GET /a", 0, { query: "b=c+d", vars: { b: "c+d" } }),
    ],
  ],
  ["Requests have the names", [query("oneofBool=true&maybe_string=a"), echo('{"optional_bool":true}')]],
  [
    "Unknown parameters",
    [query("key=a"), echo('{"key":null}'), json('{"key":{"a":1}}'), put("", '{"theme":"a","unknown":1}')],
  ],
  ["google.api.http: a field is set by", [put("shelf.theme=a", "{}"), put("shelfId=1", "{}")]],
  [
    "google.api.http: a parameter is a scalar",
    [query("optionalValue=1"), query("recursiveMessage.mapStringString%5Ba%5D=b"), query("optionalStruct=%7B%7D")],
  ],
  [
    "An enum value",
    [
      ...[query("repeatedNestedEnum=1"), query("prefixedEnum=PREFIXED_ENUM_ONE"), query("optionalNestedEnum=UNKNOWN")],
      ...[
        echo('{"mapStringNestedEnum":{"a":1}}'),
        echo('{"optionalNullValue":1}'),
        json('{"prefixedEnum":"UNSPECIFIED"}'),
      ],
      json('{"repeatedNestedEnum":["FOO","UNKNOWN"]}'),
    ],
  ],
  [
    "JSON types are exact",
    [
      ...[echo('{"repeatedInt32":["1"]}'), echo('{"mapStringInt32":{"b":"1"}}'), json('{"optionalDouble":"NaN"}')],
      query("optionalFloatWrapper=-Infinity"),
    ],
  ],
  [
    "A parameter is a text",
    [
      ...[
        query("optionalBool=1"),
        query("optionalNestedEnum=null"),
        query("maybeString=%22a%22", { maybeString: "a" }),
      ],
      ...[query("optionalTimestamp=null"), query("optionalDuration=%221s%22", { optionalDuration: "1s" })],
    ],
  ],
  ["Bytes in JSON", ["_-==", "AQI", "AA"].map((text) => json(`{"repeatedBytes":["${text}"]}`))],
  [
    "A duration",
    [
      ...["+3s", "-.001s", ".5s", "3.s"].map((text) => json(`{"optionalDuration":"${text}"}`)),
      query("optionalDuration=%2B3s"),
    ],
  ],
  ["RFC 8259", [json('{"repeatedInt32":[1,],}'), echo('{"optionalBool":true, }')]],
  [
    "A body names a field once",
    [json('{"optionalBool":true,"optionalBool":false}'), echo('{"oneofBool":true,"oneofString":""}')],
  ],
  [
    "Protobuf decodes",
    [json(`{"optionalValue":${nested(50)}}`), echo(`{"recursiveMessage":{"repeatedListValue":[${nested(50)}]}}`)],
  ],
  [
    "Counts are JSON numbers",
    [json('{"optionalInt64":"1"}'), query("optionalUint64=1"), echo('{"mapInt64Int64":{"1":"1"}}')],
  ],
  ["google.protobuf.Any", [json('{"optionalAny":{}}'), echo('{"repeatedAny":["a"]}')]],
];

/** Facts that hold, although they look like the ones above. */
const holding: readonly Case[] = [
  template("/{a=b/**}:c", { segments: ["b", "**"], vars: [["a", 0, -1]], verb: "c" }),
  template("/%C3%A9", { segments: ["%C3%A9"] }),
  match(["GET /{a}", "POST /{a}"], "POST /b", 1),
  match(["GET /a/{b}", "POST /a/{b}:c"], "GET /a/d:c", null),
  match(["GET /a/{b}", "POST /c/{b}:d"], "GET /c/e:d", null),
  match(["GET /a/{b}"], "GET /c/d:e", null, { options: ["match_unregistered_custom_verb"] }),
  match(["GET /{a=**}"], "GET /b%2fc%2Fd", 0, { vars: { a: "b%2fc%2Fd" } }),
  match(["POST /{a}/b"], "GET /c%2fd/b", null, { options: ["UnescapingModeLegacy"] }),
  query("maybeString=a+b%2B", { maybeString: "a b+" }),
  query("&maybeString=%22a%22&", { maybeString: '"a"' }),
  query("optionalNestedEnum=BAR&optionalBoolWrapper=true", { optionalNestedEnum: "BAR", optionalBoolWrapper: true }),
  echo('{"optionalStruct":{"key":1,"optional_bool":2}}', { optionalStruct: { key: 1, optional_bool: 2 } }),
  echo('{"mapStringNestedEnum":{"a":"BAR"}}', { mapStringNestedEnum: { a: "BAR" } }),
  echo('{"oneofBool":true,"oneofString":null}', { oneofBool: true }),
  json(`{"optionalValue":${nested(49)}}`),
  json('{"mapInt32Int32":{"64":64},"optionalString":"base64,}"}'),
  json('{"optionalBytes":"AQI=","optionalDuration":"-0.5s","mapStringForeignEnum":{"a":"FOREIGN_BAR"}}'),
  { kind: "json", src, body: '{"optionalBool":true,}', valid: false },
  json('{"repeatedNestedMessage":[{"a":1},{"a":2}]}'),
  { kind: "json", src, body: '{"optionalBool":true,"optionalBool":false}', valid: false },
];

describe("the differences from other gateways", () => {
  it.each(facts)("are deliberate: %s", (reason, examples) => {
    for (const fact of examples) {
      expect({ fact, differs: run(fact) !== undefined }).toEqual({ fact, differs: true });
      expect(differences.find(({ applies }) => applies(fact))?.reason).toMatch(reason);
    }
  });

  it("each have an example", () => {
    expect(differences.map(({ reason }) => facts.filter(([start]) => reason.startsWith(start)).length)).toEqual(
      facts.map(() => 1),
    );
  });

  it("do not apply to what holds", () => {
    for (const fact of holding)
      expect({ fact, difference: run(fact), reason: differences.find(({ applies }) => applies(fact))?.reason }).toEqual(
        {
          fact,
        },
      );
  });
});
