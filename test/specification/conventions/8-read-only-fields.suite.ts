import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { RouteDetailSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Where } from "../testing/office.ts";
import { getBodyFields, fieldName, getName, rpcs, send, withValue } from "../testing/rpcs.ts";
import { givenSampleWorld } from "../testing/sample-world.ts";
import type { SampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";
import { changesBetween, createStoredState } from "../testing/stored.ts";
import type { StoredState } from "../testing/stored.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const values = ["x", null, 1, true, {}, []];

/** Messages of requests with another message in the response. */
const counterparts: Readonly<Record<string, DescMessage>> = {
  "switchyard.classifier.v1.RouteInput": RouteDetailSchema,
};

const restNames = (message: DescMessage): string[] => message.fields.map(({ jsonName }) => jsonName);

/** Returns the message of a field or of the elements of a list; undefined for others and for those of google.protobuf. */
function getMessage(field: DescField | undefined): DescMessage | undefined {
  if (field?.fieldKind !== "message" && field?.fieldKind !== "list") return undefined;
  return field.message?.typeName.startsWith("google.") === true ? undefined : field.message;
}

/** Returns the steps to every field that only the response has, through the messages that both have. */
function readOnly(
  request: DescMessage,
  writable: readonly string[],
  response: DescMessage,
  above: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  const own = restNames(response).filter((name) => !writable.includes(name));
  const inner = request.fields.flatMap((field) => {
    const message = getMessage(field);
    if (message === undefined || !writable.includes(field.jsonName)) return [];
    const there = response.fields.find(({ jsonName }) => jsonName === field.jsonName);
    const counterpart = getMessage(there) ?? counterparts[message.typeName];
    const steps = [...above, field.jsonName, ...(field.fieldKind === "list" ? [0] : [])];
    return counterpart === undefined ? [] : readOnly(message, restNames(message), counterpart, steps);
  });
  return [...own.map((name) => [...above, name]), ...inner];
}

/** Section 8 of the API: unknown and read-only fields are 400 and named. Derived from the contracts. */
export function readOnlyFieldSuite(where: Where): void {
  const given = givenSampleWorld(where);
  let world: SampleWorld;
  let stored: StoredState;

  beforeAll(async () => {
    world = given.world;
    stored = await createStoredState(given.system.uri);
  });
  afterAll(() => stored?.close());

  const withBodies = rpcs.filter(({ body }) => body !== undefined);

  it.each(withBodies.map((route) => ({ name: getName(route), route })))("are refused by $name", async ({ route }) => {
    const writable = getBodyFields(route).flatMap(({ steps }) => (steps.length === 1 ? [String(steps[0])] : []));
    const bound = route.template.variables.map(
      ({ field }) => route.method.input.fields.find(({ name }) => name === field)?.jsonName ?? field,
    );
    const always = [...bound, ...(route.httpMethod === "PATCH" ? ["updateMask"] : [])].map((name) => [name]);
    const fields = [...readOnly(route.method.input, writable, route.method.output), ...always];
    const wrong: string[] = [];
    for (const sample of getSamples(route)) {
      const request = await sample(world);
      const before = await stored.documents();
      for (const [index, steps] of fields.entries()) {
        // The parts of a form are fields, except for its file.
        if (request.file !== undefined && steps.length > 1) continue;
        // Two of them for each field in turn; all for every field with long counts.
        const tried = values.filter((_, at) => isLong || at % 3 === index % 3);
        for (const value of request.file === undefined ? tried : ["x"]) {
          const given = await send(world.rest, route, { ...request, body: withValue(request.body, steps, value) });
          const named = given.body?.errors?.some(({ field }: { field: string }) => field === fieldName(steps));
          if (given.status !== 400 || named !== true) {
            wrong.push(`${fieldName(steps)} = ${JSON.stringify(value)}: ${given.status} ${given.text}`);
          }
        }
      }
      expect(changesBetween(before, await stored.documents())).toEqual([]);
    }
    expect(fields.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });
}
