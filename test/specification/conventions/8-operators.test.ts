import type { Route } from "@switchyard/rest";
import type { RestResponse } from "../../rest.ts";
import { startTestSystem } from "../../system.ts";
import type { TestSystem } from "../../system.ts";
import { createCommandTap } from "../testing/command-tap.ts";
import type { CommandTap } from "../testing/command-tap.ts";
import { getBodyFields, fieldName, isText, getName, getQueryFields, rpcs, send, sendText } from "../testing/rpcs.ts";
import { getTarget, valueAt, withValue } from "../testing/rpcs.ts";
import type { RequestField, SampleRequest } from "../testing/rpcs.ts";
import { createSampleWorld } from "../testing/sample-world.ts";
import type { SampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";

/** Part of every value that must be rejected, so that no command may contain it. */
const refused = "mark-refused-7d1f";
/** Part of texts, which may reach the database only as values. */
const accepted = "mark-accepted-93be";

/** Returns an object with one own member of any name. */
const only = (key: string, value: unknown): object =>
  Object.defineProperty({}, key, { value, enumerable: true, configurable: true });

const operators = [
  { $ne: null, x: refused },
  { $ne: refused },
  { $gt: "", x: refused },
  { $in: [refused] },
  { $where: `"${refused}"` },
  { $expr: { $eq: [refused, refused] } },
  [refused],
  only("__proto__", { x: refused }),
  { constructor: { prototype: { x: refused } } },
];
const keys = ["$where", "$ne", "$or", "__proto__", "constructor", "prototype", "a.b", "\u0000", "toString"];
const texts = ["$ne", `$where ${accepted}`, `$${accepted}`, `${accepted}.a.b`, `\u0000${accepted}`, "__proto__"];

/** Returns three of nine names for each place in turn; all for every place with long counts. */
const keysFor = (place: number): readonly string[] => keys.filter((_, at) => isLong || at % 3 === place % 3);

/** Section 8 of the API: no part of a request reaches the database as an operator. Derived from the contracts. */
describe("operators and keys of prototypes", () => {
  let system: TestSystem;
  let world: SampleWorld;
  let tap: CommandTap;

  beforeAll(async () => {
    system = await startTestSystem("one process", { between: async (uri) => (tap = await createCommandTap(uri)) });
    world = await createSampleWorld(system.url, system.token);
  });
  afterAll(() => system?.close());

  /** Returns the faults of a response, which must be 400 and name the field. */
  function toFault(response: RestResponse, name: string, what: unknown): string[] {
    const named = response.body?.errors?.some(({ field }: { field: string }) => field.startsWith(name)) === true;
    return response.status === 400 && named
      ? []
      : [`${name} = ${JSON.stringify(what)}: ${response.status} ${response.text}`];
  }

  async function bodyFaults(route: Route, request: SampleRequest): Promise<string[]> {
    const fields = getBodyFields(route);
    const sendBody = (steps: RequestField["steps"], value: unknown) =>
      send(world.rest, route, { ...request, body: withValue(request.body, steps, value) });
    // Three of them for each field in turn; all for every field with long counts.
    const attempts = fields.flatMap(({ field, steps, name }, index) =>
      operators
        .filter((_, at) => isLong || at % 3 === index % 3)
        .filter((operator) => field.fieldKind !== "list" || !Array.isArray(operator))
        .flatMap((operator) => [
          { steps, name, value: operator },
          ...(field.fieldKind === "list" ? [{ steps: [...steps, 0], name, value: operator }] : []),
        ]),
    );
    const objects = fields.filter(({ field }) => field.message?.typeName.startsWith("switchyard.") === true);
    const places = [[], ...objects.map(({ field, steps }) => (field.fieldKind === "list" ? [...steps, 0] : steps))];
    const strange = places.flatMap((steps, index) =>
      keysFor(rpcs.indexOf(route) + index).map((key) => {
        const here = valueAt(request.body, steps) ?? {};
        const value = Object.assign(only(key, { x: refused }), here);
        return { steps, name: fieldName([...steps, key]), value };
      }),
    );
    const faults: string[] = [];
    await Promise.all(
      [...attempts, ...strange].map(async ({ steps, name, value }) => {
        faults.push(...toFault(await sendBody(steps, value), name, value));
      }),
    );
    return faults;
  }

  async function queryFaults(route: Route, request: SampleRequest): Promise<string[]> {
    const target = getTarget(route, { ...request, query: {} });
    const body = route.body === undefined ? undefined : JSON.stringify(request.body ?? {});
    const wrong = getQueryFields(route).flatMap(({ jsonName }) => [
      [`${jsonName}[$ne]`, `${jsonName}[$ne]=${refused}`],
      [`${jsonName}[]`, `${jsonName}[]=${refused}`],
      [`${jsonName}.$gt`, `${jsonName}.$gt=${refused}`],
      [jsonName, `${jsonName}=${refused}&${jsonName}=${refused}`],
    ]);
    const always = keysFor(rpcs.indexOf(route)).map((key) => [key, `${encodeURIComponent(key)}=${refused}`]);
    const faults: string[] = [];
    for (const [name = "", query] of [...wrong, ...always]) {
      faults.push(...toFault(await sendText(world.rest, route, `${target}?${query}`, body), name, query));
    }
    return faults;
  }

  /** Texts that look like operators. They are accepted unchanged, or rejected like any other text. */
  async function textFaults(route: Route, request: SampleRequest): Promise<string[]> {
    const faults: string[] = [];
    const judge = (what: string, text: string, response: RestResponse, allowed: (status: number) => boolean) => {
      if (!allowed(response.status))
        faults.push(`${what} = ${JSON.stringify(text)}: ${response.status} ${response.text}`);
    };
    // Half of them for each method in turn; all with long counts.
    for (const text of texts.filter((_, at) => isLong || at % 2 === rpcs.indexOf(route) % 2)) {
      for (const { field, steps, name } of getBodyFields(route).filter(({ field }) => isText(field))) {
        const value = field.fieldKind === "list" ? [text] : text;
        const response = await send(world.rest, route, { ...request, body: withValue(request.body, steps, value) });
        judge(name, text, response, (status) => status < 500);
        const echoed = response.status < 300 ? response.body?.[name] : undefined;
        if (echoed !== undefined && JSON.stringify(echoed) !== JSON.stringify(value)) {
          faults.push(`${name} = ${JSON.stringify(text)} came back as ${JSON.stringify(echoed)}`);
        }
      }
      for (const [variable, known] of Object.entries(request.path ?? {})) {
        // A number in a path has no such text.
        const refused = /^\d+$/.test(known) ? 400 : 404;
        const response = await send(world.rest, route, { ...request, path: { ...request.path, [variable]: text } });
        judge(
          variable,
          text,
          response,
          (status) => status === refused || (status === 410 && route.removed !== undefined),
        );
      }
      for (const { jsonName } of getQueryFields(route)) {
        const response = await send(world.rest, route, { ...request, query: { ...request.query, [jsonName]: text } });
        judge(jsonName, text, response, (status) => [200, 400, 404].includes(status));
        // A list may contain the matching resources.
        const found = response.status === 200 ? (response.body?.data ?? response.body ?? []) : [];
        const others = found.filter((entry: object) => !Object.values(entry).includes(text));
        if (others.length > 0) faults.push(`${jsonName} = ${JSON.stringify(text)}: ${response.text}`);
      }
    }
    return faults;
  }

  it.each(rpcs.map((route) => ({ name: getName(route), route })))("are rejected by $name", async ({ route }) => {
    for (const sample of getSamples(route)) {
      const request = await sample(world);
      const body = route.body === undefined || request.file !== undefined ? [] : await bodyFaults(route, request);
      const query = request.file === undefined && route.removed === undefined ? await queryFaults(route, request) : [];
      expect([...body, ...query, ...(await textFaults(route, request))]).toEqual([]);
    }
  });

  it("reach the database only as values", () => {
    const commands = tap.commands();
    const all = commands.map((command) => JSON.stringify(command));
    expect(commands.filter(({ unread }) => unread !== undefined)).toEqual([]);
    expect(all.filter((command) => command.includes(refused))).toEqual([]);
    // They are present as values, so their absence elsewhere is significant.
    expect(all.filter((command) => command.includes(accepted)).length).toBeGreaterThan(20);
    expect(commands.flatMap((command) => misuses(command, false))).toEqual([]);
  });
});

/** Returns where a text of the test is the name of a field, or an expression for the path of a field. */
function misuses(value: unknown, evaluated: boolean): string[] {
  if (typeof value === "string") return evaluated && value.startsWith("$") && value.includes(accepted) ? [value] : [];
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key.includes(accepted) ? [key] : []),
    ...misuses(inner, evaluated || key === "pipeline" || (key === "u" && Array.isArray(inner))),
  ]);
}
