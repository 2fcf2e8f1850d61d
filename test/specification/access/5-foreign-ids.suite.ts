import type { DescMethodStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Transport } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import type { Route } from "@switchyard/rest";
import { getProblemFacts } from "@switchyard/rpc";
import type { RestResponse } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { givenSystem } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import {
  endpoints,
  fieldName,
  toFields,
  isText,
  getLeaves,
  getMessage,
  getName,
  rpcs,
  send,
  withValue,
} from "../testing/rpcs.ts";
import type { SampleRequest } from "../testing/rpcs.ts";
import { createSampleWorld } from "../testing/sample-world.ts";
import type { SampleWorld } from "../testing/sample-world.ts";
import { samples, getSamples } from "../testing/samples.ts";
import { changesBetween, createStoredState } from "../testing/stored.ts";
import type { StoredState } from "../testing/stored.ts";

/** Fields with the name of an ID that do not refer to a resource of the system. */
const ownWords = new Set(["external_id", "shared_id"]);
const id = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

/** Fields whose IDs are answered otherwise: the fault of a document is its own in a batch, and a route must be the classifier's (400). */
const answeredOtherwise: Readonly<Record<string, string>> = {
  "ClassifierService.BatchClassify": "items",
  "ReviewService.ReviewClassification": "routeId",
};

/** Returns the IDs of a request, with the steps to them through path, query and body. */
function getIds({ path, query, body }: SampleRequest) {
  return getLeaves({ path, query, body }).filter(({ leaf }) => typeof leaf === "string" && id.test(leaf));
}

/** Section 7 of the API: resources of other organizations are 404, like those that do not exist. Derived from the contracts. */
export function foreignIdSuite(where: Where): void {
  const given = givenSystem(where);
  let system: TestSystem;
  let own: SampleWorld;
  let other: SampleWorld;
  let stored: StoredState;
  let grpc: Transport;

  beforeAll(async () => {
    ({ system } = given);
    [own, other] = await Promise.all([
      createSampleWorld(system.url, system.token),
      system.anotherOrganization("Elsewhere").then((secret) => createSampleWorld(system.url, secret)),
    ]);
    // Refused requests are recorded in the audit trail.
    stored = await createStoredState(system.uri, (collection) => /^audit/.test(collection));
    grpc = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` });
  });
  afterAll(() => stored?.close());

  /** Returns the code of the same request over gRPC. */
  async function overGrpc(route: Route, request: SampleRequest): Promise<Code | undefined> {
    const message = getMessage(route, request);
    const headers = { authorization: `Bearer ${own.secret}` };
    const { method } = route;
    if (method.methodKind === "unary") {
      const response = grpc.unary(method as DescMethodUnary, undefined, undefined, headers, message);
      return response.then(
        () => undefined,
        (error: unknown) => getProblemFacts(error).code,
      );
    }
    async function* once() {
      yield message;
    }
    try {
      const response = await grpc.stream(method as DescMethodStreaming, undefined, undefined, headers, once());
      for await (const _ of response.message);
      return undefined;
    } catch (error) {
      return getProblemFacts(error).code;
    }
  }

  it("are tested with RPCs that the contracts define", () => {
    const known = new Set(rpcs.map(getName));
    expect(Object.keys(samples).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(rpcs.map((route) => ({ name: getName(route), route })))("are unknown to $name", async ({ route, name }) => {
    const bindings = endpoints.filter(({ method }) => method === route.method);
    const asked = new Set<string>();
    for (const sample of getSamples(route)) {
      const [mine, theirs] = [await sample(own), await sample(other)];
      const before = await stored.documents();
      const wrong: string[] = [];
      const positions = getIds(mine);
      for (const { steps } of positions) {
        asked.add(fieldName(steps.slice(1)).replace(/\[\d+\]/g, "[0]"));
        if (steps[1] === answeredOtherwise[name]) continue;
        const foreign = getIds(theirs).find((there) => fieldName(there.steps) === fieldName(steps));
        if (foreign === undefined || foreign.leaf === valueOf(mine, steps))
          throw new Error(`no foreign ${fieldName(steps)}`);
        const request: SampleRequest = withValue(mine, steps, foreign.leaf);
        for (const binding of bindings) {
          const given = verdict(route, request, steps, await send(own.rest, binding, request));
          if (given !== "unknown") wrong.push(`${fieldName(steps)}: ${given}`);
        }
        const code =
          request.file === undefined && !isFilter(request, steps) ? await overGrpc(route, request) : Code.NotFound;
        if (code !== (route.removed === undefined ? Code.NotFound : Code.Unimplemented)) {
          wrong.push(`${fieldName(steps)} over gRPC: ${code === undefined ? "done" : Code[code]}`);
        }
      }
      // The whole request of the other organization.
      if (positions.some(({ steps }) => !isFilter(mine, steps))) {
        const given = verdict(route, theirs, [], await send(own.rest, route, theirs));
        if (given !== "unknown") wrong.push(`all of it: ${given}`);
      }
      expect({ wrong, written: changesBetween(before, await stored.documents()) }).toEqual({ wrong: [], written: [] });
    }
    const idFields = toFields(route.method.input).filter(
      ({ field }) => isText(field) && /(^|_)ids?$/.test(field.name) && !ownWords.has(field.name),
    );
    const forgotten = idFields.filter(({ steps, field }) => {
      const inList = field.fieldKind === "list" ? [...steps, 0] : steps;
      return !asked.has(fieldName(inList));
    });
    if (forgotten.length > 0) {
      throw new Error(
        `no sample of ${name} in samples.ts has an id in ${forgotten.map((field) => field.name).join(", ")}`,
      );
    }
  });

  // These come last, because some leave work in the background.
  it.each(rpcs.map((route) => ({ name: getName(route), route })))(
    "were the only fault in the requests of $name",
    async ({ route }) => {
      for (const sample of getSamples(route)) {
        const { status, text } = await send(own.rest, route, await sample(own));
        expect([status, text]).toEqual([route.removed === undefined ? route.successStatus : 410, text]);
      }
    },
  );
}

function valueOf(request: SampleRequest, steps: readonly (string | number)[]): unknown {
  return getLeaves(request).find((leaf) => fieldName(leaf.steps) === fieldName(steps))?.leaf;
}

function isFilter({ filters = [] }: SampleRequest, [part, name]: readonly (string | number)[]): boolean {
  return part === "query" && filters.includes(String(name));
}

/** Returns "unknown" for a response that reveals nothing about another organization, or else the response. */
function verdict(
  route: Route,
  request: SampleRequest,
  steps: readonly (string | number)[],
  response: RestResponse,
): string {
  const { status, body, text } = response;
  if (route.removed !== undefined) return status === 410 ? "unknown" : text;
  if (isFilter(request, steps) && status === 200) return body.data.length === 0 ? "unknown" : text;
  return status === 404 && body.code !== "NOT_FOUND" ? "unknown" : `${status} ${text}`;
}
