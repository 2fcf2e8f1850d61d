import { examples } from "@switchyard/gateway/examples";
import type { Route } from "@switchyard/rest";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { format } from "prettier";
import { root } from "../../processes.ts";
import { createRest } from "../../rest.ts";
import { givenSystem } from "../testing/office.ts";
import { endpoints, rpcs, send } from "../testing/rpcs.ts";
import { createSampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";

interface Example {
  readonly request?: unknown;
  readonly response?: unknown;
}

const target = join(root, "apps/gateway/src/gen/openapi-examples.ts");
const recorded: Readonly<Record<string, Example>> = examples;

/** Returns the operationId of an endpoint in the OpenAPI description. */
function operationId(route: Route): string {
  const bindings = endpoints.filter(({ method }) => method === route.method);
  const binding = bindings.indexOf(route) + 1;
  return `${route.service.name}_${route.method.name}${binding > 1 ? `_${binding}` : ""}`;
}

/** Makes recordings reproducible: IDs count up, times and durations are constant, and lists have at most two elements. */
function createNeutral(): (value: unknown, key?: string) => unknown {
  const ids = new Map<string, string>();
  const neutralText = (text: string): string =>
    text
      .replaceAll(/\b([a-z]{3,4})_[0-9a-z]{26}\b/g, (id, prefix: string) => {
        const known = ids.get(id) ?? `${prefix}_${String(ids.size + 1).padStart(26, "0")}`;
        ids.set(id, known);
        return known;
      })
      .replace(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, "2026-01-31T12:00:00.000Z")
      .replace(/^sw[a-z]*_.*$/, "swy_<secret>");
  const neutral = (value: unknown, key = ""): unknown => {
    if (typeof value === "string") return key === "prefix" ? "swy_abcd" : neutralText(value);
    if (typeof value === "number") return /Ms$|^p50$|^p95$|^max$/.test(key) ? 12.5 : value;
    if (Array.isArray(value)) return value.slice(0, 2).map((element) => neutral(element));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [neutralText(name), neutral(member, name)]),
    );
  };
  return neutral;
}

/** Returns where the members of two objects differ. Null and empty values match everything. */
function differences(one: unknown, other: unknown, path: string): string[] {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === 0 || other.length === 0 ? [] : differences(one[0], other[0], `${path}[0]`);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return [];
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  if (/\.(?:changes|values|confidence|evidence)$/.test(path)) return [];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) =>
    key in left && key in right ? differences(left[key], right[key], `${path}.${key}`) : [`${path}.${key}`],
  );
}

describe("the examples of the OpenAPI description", () => {
  const given = givenSystem("shared");
  const fresh: Record<string, Example> = {};
  beforeAll(async () => {
    const world = await createSampleWorld(given.system.url, given.system.token, "Example");
    for (const route of rpcs.filter(({ removed, eventName }) => removed === undefined && eventName === undefined)) {
      const neutral = createNeutral();
      const samples = await Promise.all(getSamples(route).map(async (sample) => sample(world)));
      // The text of a classification is a better example than the ID of a file.
      const request = samples.find(({ body }) => body !== undefined && "text" in body) ?? samples[0];
      const received = await send(world.rest, route, request ?? {});
      expect([operationId(route), received.status]).toEqual([operationId(route), route.successStatus]);
      const response = received.body === undefined ? {} : { response: neutral(received.body) };
      const json = request?.file === undefined && request?.body !== undefined ? { request: neutral(request.body) } : {};
      for (const endpoint of endpoints.filter(({ method }) => method === route.method))
        if (Object.keys({ ...json, ...response }).length > 0) fresh[operationId(endpoint)] = { ...json, ...response };
    }
    if (process.env["UPDATE_GOLDEN"] !== "1") return;
    const text = `// Recorded by test/specification/conventions/openapi-examples.test.ts. Do not edit: UPDATE_GOLDEN=1 records them anew.

/** The request and the response of each operation in a test, by its operationId. */
export const examples = ${JSON.stringify(fresh)};
`;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, await format(text, { parser: "typescript", printWidth: 120 }));
  });

  it("have the shape of the current responses", () => {
    // If this fails, run UPDATE_GOLDEN=1 npm test -- test/specification/conventions/openapi, and commit the result.
    expect(Object.keys(recorded).sort()).toEqual(Object.keys(fresh).sort());
    expect(differences(recorded, fresh, "")).toEqual([]);
  });

  it("are in the description", async () => {
    const { paths } = (await createRest(given.system.url).get("/openapi.json")).body;
    const described = Object.values<any>(paths).flatMap((path) => Object.values<any>(path));
    for (const { operationId: id, requestBody, responses } of described) {
      const { request, response } = recorded[id] ?? {};
      expect(requestBody?.content["application/json"]?.example).toEqual(request);
      const [, success] = Object.entries<any>(responses).find(([status]) => status.startsWith("2")) ?? [];
      expect(success.content?.["application/json"]?.example).toEqual(response);
    }
  });
});
