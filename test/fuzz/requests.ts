import type { Route } from "@switchyard/rest";
import fc from "fast-check";
import { getQueryFields, getTarget } from "../specification/testing/rpcs.ts";
import type { SampleRequest } from "../specification/testing/rpcs.ts";
import { bodyChange, getUsualBody } from "./bodies.ts";
import type { BodyChange } from "./bodies.ts";
import type { Attempt } from "./http.ts";
import { hostileTexts, plausibleValue } from "./values.ts";

/** The IDs that requests name besides those of their samples. */
export interface Ids {
  /** IDs of the organization of the token, of all kinds. */
  readonly own: readonly string[];
  /** IDs of another organization. */
  readonly foreign: readonly string[];
}

/** The changes that turn a sample request into one that is sent. */
export interface Changes {
  /** The text in place of a variable of the path, already encoded. */
  readonly path: { readonly variable: number; readonly text: string } | undefined;
  /** A text behind the path. */
  readonly suffix: string;
  /** Parameters, already encoded, and whether they replace those of the sample. */
  readonly query: { readonly parameters: readonly string[]; readonly replace: boolean };
  readonly method: string | undefined;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: readonly BodyChange[];
}

const encodedTexts = [
  ...["%", "%zz", "%f", "%00", "%ff", "%c0%80", "%ed%a0%80", "%25", "%252f", "%2f", "%2F..%2f", "%5c", "..", "."],
  ...["%2e%2e", "+", "%20", "a%0d%0ab", "\u00ff", ";a=b", ":makeGlobal", "a:b:c", "[$ne]", "@", "~", "x".repeat(9_000)],
];

/** Kinds of IDs that the paths of models and deployments take alike. */
const modelKinds: readonly string[] = ["mdl", "dep", "sch"];

/**
 * Returns the IDs that may replace one in a path. A request that changes something gets none that would change or delete what the other
 * requests need: none of the same kind.
 */
function getReplacements(route: Route, { own, foreign }: Ids, replaced: string): readonly string[] {
  if (route.httpMethod === "GET") return [...own, ...foreign];
  const kind = (id: string): string => (modelKinds.includes(id.split("_")[0] ?? "") ? "mdl" : (id.split("_")[0] ?? ""));
  return [...own.filter((id) => kind(id) !== kind(replaced)), ...foreign];
}

const headerValues: Readonly<Record<string, readonly string[]>> = {
  "content-type": [
    ...[
      "application/json",
      "application/json; charset=utf-8",
      "application/json; charset=utf-16",
      "APPLICATION/JSON",
      "",
    ],
    ...[
      "text/plain",
      "application/jsonx",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/grpc",
    ],
    ...[
      "application/proto",
      "application/connect+json",
      "application/grpc-web",
      "application/problem+json",
      ";",
      "x".repeat(500),
    ],
  ],
  accept: [
    ...[
      "*/*",
      "application/json",
      "text/html",
      "application/json;q=0",
      "text/event-stream",
      "application/x-ndjson",
      "",
    ],
    ...["application/*;q=0.5, */*;q=0", ";;;", "application/json;q=2", "\u00e4", "a/b,".repeat(500)],
  ],
  "accept-encoding": ["gzip", "br", "zstd", "identity;q=0", "*;q=0", "gzip;q=nan", "deflate", ""],
  "content-encoding": ["gzip", "identity", "br, gzip", "x"],
  "idempotency-key": ["fuzz", "", " ", "a,b", "\u00e9", "x".repeat(256), "$ne", "fuzz-2"],
  range: [
    "bytes=0-0",
    "bytes=-1",
    "bytes=5-2",
    "bytes=0-,0-,0-",
    "bytes=999999999999999999999-",
    "lines=1-2",
    "bytes=a-b",
    "",
  ],
  "if-none-match": ["*", '"x"', 'W/"x", "y"', '"', "x".repeat(4_000)],
  "if-match": ["*", '"x"', '"'],
  "if-range": ['"x"', "Sat, 31 Jan 2026 12:00:00 GMT"],
  expect: ["100-continue", "x"],
  "x-request-id": ["fuzz", "", "a b", "\u00ff", "x".repeat(2_000), "../..", "{}"],
  "x-http-method-override": ["DELETE"],
  "x-switchyard-identity": ["e30.e30.x", "{}"],
  "connect-protocol-version": ["1", "2"],
  "connect-timeout-ms": ["1", "-1", "x"],
  "grpc-timeout": ["1n", "1S", "x"],
  traceparent: ["00-x-y-z", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
  origin: ["null", "http://localhost"],
  host: ["x", "", "a:b:c"],
  "user-agent": ["", "\u00e4"],
  "x-long": ["x".repeat(15_000), "x".repeat(17_000)],
};

/** Creates changes for the requests of an endpoint. */
export function changesOf(route: Route, sample: SampleRequest, ids: Ids): fc.Arbitrary<Changes> {
  const all = [...ids.own, ...ids.foreign, "none"];
  const rare = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>, usual: Value): fc.Arbitrary<Value> =>
    fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
  const values = Object.values(sample.path ?? {});
  const path = fc
    .nat({ max: Math.max(0, values.length - 1) })
    .chain((variable) =>
      fc
        .oneof(
          fc.constantFrom(...getReplacements(route, ids, values[variable] ?? "")),
          fc.constantFrom(...encodedTexts),
          fc.constantFrom(...hostileTexts).map(encode),
        )
        .map((text) => ({ variable, text })),
    );
  return fc.record({
    path: values.length === 0 ? fc.constant(undefined) : rare(3, path, undefined),
    suffix: rare(30, fc.constantFrom("/", "//", "/x", ":x", "%20", "/.", "/..", "?", "#"), ""),
    query: fc.record({ parameters: queryChanges(route, all), replace: fc.boolean() }),
    method: rare(30, fc.constantFrom("HEAD", "OPTIONS", "PUT", "TRACE", "PATCH"), undefined),
    headers: rare(2, fc.array(header(), { minLength: 1, maxLength: 3 }), []),
    body: bodyChange(route, all),
  });
}

function header(): fc.Arbitrary<readonly [string, string]> {
  return fc
    .constantFrom(...Object.entries(headerValues))
    .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const));
}

function queryChanges(route: Route, ids: readonly string[]): fc.Arbitrary<readonly string[]> {
  const fields = getQueryFields(route);
  const strange = fc
    .tuple(
      fc.constantFrom(
        "x",
        "",
        "limit",
        "pageToken",
        "filename",
        "project_id",
        "a[b]",
        "__proto__",
        "$where",
        "%zz",
        "%00",
      ),
      fc.oneof(fc.constantFrom(...encodedTexts), fc.constantFrom(...hostileTexts).map(encode)),
    )
    .map(([name, value]) => `${name}=${value}`);
  const known = fields.map((field) => {
    const value = fc.oneof(
      { weight: 3, arbitrary: plausibleValue(field, ids) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(...hostileTexts) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<unknown>("0", "-1", "1e3", "5.0", " 5", "501", "99999999999999999999", "1e309"),
      },
    );
    return value.map((one) => `${field.jsonName}=${encode(String(one))}`);
  });
  if (known.length === 0) return fc.oneof({ weight: 12, arbitrary: fc.constant([]) }, fc.tuple(strange));
  return fc.array(fc.oneof({ weight: 6, arbitrary: fc.oneof(...known) }, { weight: 1, arbitrary: strange }), {
    maxLength: 3,
  });
}

/** Percent-encodes a text as UTF-8; lone surrogates become what a careless client sends. */
function encode(text: string): string {
  return [...text]
    .map((character) => (/^[\ud800-\udfff]$/.test(character) ? "%ed%a0%80" : encodeURIComponent(character)))
    .join("");
}

/** Applies changes to a sample request, which then has this token. */
export function createAttempt(route: Route, sample: SampleRequest, changes: Changes, token: string): Attempt {
  const mark = "fuzzed-variable";
  const { path } = changes;
  const [replaced = ""] = Object.keys(sample.path ?? {}).slice(path?.variable ?? 0);
  const request = path === undefined ? sample : { ...sample, path: { ...sample.path, [replaced]: mark } };
  const [before = "", query = ""] = getTarget(route, request).split("?");
  const pathname = `${before.replace(mark, path?.text ?? mark)}${changes.suffix}`;
  const kept = changes.query.replace || query === "" ? [] : [query];
  const parameters = [...kept, ...changes.query.parameters].join("&");
  const usual = getUsualBody(route, sample);
  const body = changes.body.reduce((current, change) => change(sample, current), usual);
  return {
    method: changes.method ?? route.httpMethod,
    target: parameters === "" ? pathname : `${pathname}?${parameters}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": body.type }),
      ...Object.fromEntries(changes.headers),
      ...(body === undefined ? {} : { "content-length": String(body.bytes.length) }),
    },
    body: body?.bytes,
  };
}
