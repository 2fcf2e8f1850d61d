import { getOption, hasOption, ScalarType, type DescField } from "@bufbuild/protobuf";
import { is_required, rule, type Rule } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Route } from "@switchyard/rest";
import type { RestResponse } from "../../rest.ts";
import type { Where } from "../testing/office.ts";
import { getBodyFields, getName, getQueryFields, rpcs, send, valueAt, withValue } from "../testing/rpcs.ts";
import type { RequestField, SampleRequest } from "../testing/rpcs.ts";
import { givenSampleWorld } from "../testing/sample-world.ts";
import type { SampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";

/** A value of a field just outside or just within its rule. */
interface Try {
  readonly says: string;
  readonly value: unknown;
  readonly allowed: boolean;
}

const isList = (field: DescField): boolean => field.fieldKind === "list";
const isText = (field: DescField): boolean => field.scalar === ScalarType.STRING;

/** Returns values at the bounds of a rule and beyond them. `fallback` is an element of a list. */
function getTries(field: DescField, asked: Rule, fallback: unknown): readonly Try[] {
  const forbidden = (says: string, value: unknown): Try => ({ says, value, allowed: false });
  const allowed = (says: string, value: unknown): Try => ({ says, value, allowed: true });
  const one = (value: unknown): unknown => (isList(field) ? [value] : value);
  const many = (length: number): unknown[] =>
    Array.from({ length }, (_, index) => (isText(field) && asked.oneOf.length === 0 ? `x${index}` : fallback));
  // Null is a value of google.protobuf.Value.
  const takesNull = asked.nullable || field.message?.typeName === "google.protobuf.Value";
  const { minimum, maximum, minLength, maxLength, pattern, maxItems, minItems } = asked;
  return [
    ...(asked.required
      ? [forbidden("absent", undefined), takesNull ? allowed("null", null) : forbidden("null", null)]
      : []),
    ...(asked.required && isText(field) ? [forbidden("empty", isList(field) ? [] : "")] : []),
    ...(minimum === undefined ? [] : [forbidden("too small", minimum - 1), allowed("smallest", minimum)]),
    ...(maximum === undefined ? [] : [forbidden("too large", maximum + 1), allowed("largest", maximum)]),
    ...(minLength > 0 ? [forbidden("too short", one(""))] : []),
    ...(maxLength > 0
      ? [
          forbidden("too long", one("x".repeat(maxLength + 1))),
          allowed("longest", one("😀".repeat(maxLength > 1e4 ? 1 : maxLength))),
        ]
      : []),
    ...(pattern === "" ? [] : [forbidden("not of the pattern", one(pattern === "\\S" ? "  " : "\u0001"))]),
    ...(asked.oneOf.length > 0 ? [forbidden("unknown", one("nothing")), allowed("known", one(asked.oneOf[0]))] : []),
    ...(minItems > 0 ? [forbidden("too few", many(minItems - 1))] : []),
    ...(maxItems > 0 ? [forbidden("too many", many(maxItems + 1)), allowed("most", many(maxItems))] : []),
    ...(asked.unique ? [forbidden("repeated", ["x", "x"])] : []),
    ...(asked.name
      ? [
          forbidden("a blank name", " "),
          forbidden("a name of controls", "a\u0007"),
          forbidden("a long name", "x".repeat(121)),
          allowed("the longest name", "😀".repeat(120)),
        ]
      : []),
  ];
}

const bounds =
  /\bat (?:most|least)\b|must be (?:between|\d)|must be one of|must be "|is required|must not be (?:empty|blank)/;

/** The invalid fields that a response names: those of the whole request, or of single documents of a batch. */
function getErrors({ status, body }: RestResponse): { readonly field: string; readonly message: string }[] {
  if (status === 200 && Array.isArray(body?.data))
    return body.data.flatMap(({ problem }: any) => problem?.errors ?? []);
  return status === 400 || status === 413 ? body.errors : [];
}

/**
 * Returns whether a response rejects a value: it names the field, its parent or its content. Duplicates are a conflict before their number
 * counts.
 */
function refuses(response: RestResponse, name: string): boolean {
  if (response.status === 409) return response.body.code === "ROUTE_EXISTS";
  return getErrors(response).some(
    ({ field }) =>
      field === name ||
      field.startsWith(`${name}[`) ||
      (/^[.[]/.test(name.slice(field.length)) && name.startsWith(field)),
  );
}

/** Returns whether a response reports a value as out of bounds. It may be rejected for another reason. */
function findsBeyondBounds(response: RestResponse, name: string): boolean {
  return getErrors(response).some(
    ({ field, message }) => (field === name || field === `${name}[0]`) && bounds.test(message),
  );
}

/** A document in a request. */
const content = { filename: "a.jsonl", data: Buffer.from("{}").toString("base64") };

export function ruleSuite(where: Where): void {
  const given = givenSampleWorld(where);
  let world: SampleWorld;
  beforeAll(() => ({ world } = given));

  const ruled = rpcs.filter((route) => getRules(route).length > 0);

  function getRules(route: Route): readonly RequestField[] {
    const inQuery = getQueryFields(route).map((field) => ({ field, steps: [field.jsonName], name: field.jsonName }));
    return [...getBodyFields(route), ...inQuery].filter(({ field }) => hasOption(field, rule));
  }

  /** Returns the sample that is sent as JSON, or the request of an upload without its file. */
  async function getSample(route: Route): Promise<SampleRequest> {
    const found = await Promise.all(getSamples(route).map(async (sample) => sample(world)));
    const [first = {}] = found;
    return (
      found.find(({ file }) => file === undefined) ?? { ...(first.path ? { path: first.path } : {}), body: { content } }
    );
  }

  /** Returns the body of a request to which a field is added, without the other fields of its oneof. */
  function bodyFor({ body = {} }: SampleRequest, { method }: Route, [outer]: RequestField["steps"]): object {
    const required = method.input.oneofs.filter((oneof) => getOption(oneof, is_required));
    const alternatives = required.flatMap(({ fields }) => fields.map(({ jsonName }) => jsonName));
    if (!alternatives.includes(String(outer))) return body;
    const others = Object.entries(body).filter(([name]) => !alternatives.includes(name));
    return { ...Object.fromEntries(others), ...(outer === "content" ? { content } : {}) };
  }

  function withField(request: SampleRequest, route: Route, { steps }: RequestField, value: unknown): SampleRequest {
    if (route.body !== undefined) return { ...request, body: withValue(bodyFor(request, route, steps), steps, value) };
    const query = { ...request.query, [String(steps[0])]: String(value) };
    if (value === undefined || value === null) delete (query as Record<string, string>)[String(steps[0])];
    return { ...request, query };
  }

  it.each(ruled.map((route) => [getName(route), route] as const))("%s", async (_, route) => {
    const request = await getSample(route);
    const wrong: string[] = [];
    for (const field of getRules(route)) {
      const asked = getOption(field.field, rule);
      const element = asked.oneOf[0] ?? valueAt(request.body, [...field.steps, 0]) ?? {};
      for (const { says, value, allowed } of getTries(field.field, asked, element)) {
        const response = await send(world.rest, route, withField(request, route, field, value));
        const right = allowed ? !findsBeyondBounds(response, field.name) : refuses(response, field.name);
        if (!right) wrong.push(`${field.name} ${says}: ${response.text.slice(0, 300)}`);
        if (response.status >= 500) wrong.push(`${field.name} ${says}: ${response.status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("include every required field", async () => {
    const unstated: string[] = [];
    for (const route of rpcs.filter(({ removed, method }) => removed === undefined && method.methodKind === "unary")) {
      const fields = [
        ...getBodyFields(route).filter(({ steps }) => steps.length === 1),
        ...getQueryFields(route).map((field) => ({ field, steps: [field.jsonName], name: field.jsonName })),
      ].filter(({ field }) => !(hasOption(field, rule) && getOption(field, rule).required));
      if (fields.length === 0) continue;
      const request = await getSample(route);
      for (const field of fields) {
        const response = await send(world.rest, route, withField(request, route, field, undefined));
        if (response.status === 400 && response.body.errors.some(({ message }: any) => message === "is required"))
          unstated.push(`${getName(route)} ${field.name}: ${response.text}`);
      }
    }
    expect(unstated).toEqual([]);
  });
}
