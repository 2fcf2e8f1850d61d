import { getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { HttpBody } from "@switchyard/contracts/google/api/httpbody";
import { Permission, rule, type Rule } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { problemReasons } from "@switchyard/contracts/reasons";
import type { ProblemReason } from "@switchyard/contracts/reasons";
import type { Transport } from "@connectrpc/connect";
import { createJsonWriters, createRestApi, httpBodyType, toProblem } from "@switchyard/rest";
import type { Route } from "@switchyard/rest";
import { getProblemFacts, takesIdempotencyKey } from "@switchyard/rpc";
import { publicServices } from "@switchyard/gateway";
import { createRest } from "../rest.ts";
import type { RestResponse } from "../rest.ts";
import { normalizeExchange } from "../specification/golden/recording.ts";
import { getEvents } from "../specification/testing/benchmarks.ts";
import { getBodyFields, getMessage, getName, getTarget, rpcs, send } from "../specification/testing/rpcs.ts";
import type { SampleRequest } from "../specification/testing/rpcs.ts";
import { givenSampleWorld } from "../specification/testing/sample-world.ts";
import { getSamples } from "../specification/testing/samples.ts";
import type { Sample } from "../specification/testing/samples.ts";
import { createCallers } from "./callers.ts";
import type { Callers } from "./callers.ts";
import { callRpc, createTransports, protocols, withContent } from "./protocols.ts";
import type { Called, Protocol } from "./protocols.ts";
import { notProvoked } from "./not-provoked.ts";
import { provocations } from "./provocations.ts";
import type { Provocation } from "./provocations.ts";

const api = createRestApi(publicServices.map(({ service }) => service));
const writers = createJsonWriters();
const requestId = "parity";
const noRequest: Sample = () => ({});

/** Every RPC has the same responses and errors over REST, Connect with binary messages and with JSON, gRPC-Web and gRPC. */
describe("every protocol", () => {
  const given = givenSampleWorld("shared");
  let callers: Callers;
  let transports: Readonly<Record<Protocol, Transport>>;

  beforeAll(async () => {
    callers = await createCallers(given.world);
    transports = createTransports(given.system);
  });

  const overRest = (
    route: Route,
    request: SampleRequest,
    secret: string | undefined,
    key?: string,
  ): Promise<RestResponse> => send(createRest(given.system.url, secret, toHeaders(undefined, key)), route, request);
  const overRpc = (
    protocol: Protocol,
    route: Route,
    request: SampleRequest,
    secret: string | undefined,
    key?: string,
  ) => callRpc(transports[protocol], route, request, toHeaders(secret, key));

  function toHeaders(secret: string | undefined, key: string | undefined): Record<string, string> {
    return {
      "x-request-id": requestId,
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    };
  }

  /** Returns the body that REST has for the messages of a response. */
  function toBody(route: Route, request: SampleRequest, { messages }: Called): string {
    if (route.method.output.typeName === httpBodyType) {
      return Buffer.concat((messages as unknown as HttpBody[]).map(({ data }) => data)).toString("utf8");
    }
    if (route.eventName !== undefined)
      return messages.map((message) => writers.message(route.method.output)(message)).join("\n");
    const [path = "", query = ""] = getTarget(route, request).split("?");
    const match = api.match(route.httpMethod, path);
    const [message] = messages;
    if (match.kind !== "found" || message === undefined) throw new Error(`${getName(route)} has no response`);
    const sent = route.method.methodKind === "client_streaming" ? message : getMessage(route, withContent(request));
    return match.target.write(message, sent, { path, query }).body ?? "";
  }

  const toText = (route: Route, { text }: RestResponse): string =>
    route.eventName === undefined
      ? text
      : getEvents(text)
          .map(({ data }) => JSON.stringify(data))
          .join("\n");

  /** Replaces what differs between two calls that change something. */
  const normalize = (text: string): string =>
    normalizeExchange(text)
      .replace(/\bSample \d+/g, "Sample")
      .replace(/(?<="(?:secret|prefix)":)"[^"]*"/g, '"…"');

  const served = rpcs.filter(({ removed }) => removed === undefined);
  const named = (routes: readonly Route[]) => routes.map((route) => [getName(route), route] as const);

  it.each(named(served))("has the same response of %s", async (_, route) => {
    const reads = route.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    // Each call may be the one that changes when the token was last used.
    const same = reads ? (text: string) => text.replace(/(?<="lastUsedAt":)"[^"]*"/g, '"…"') : normalize;
    for (const sample of getSamples(route)) {
      const request = await sample(given.world);
      const rest = await overRest(route, request, given.world.secret);
      expect([rest.status, rest.headers.get("x-request-id")]).toEqual([route.successStatus, requestId]);
      for (const protocol of protocols) {
        const again = reads ? request : await sample(given.world);
        const called = await overRpc(protocol, route, again, given.world.secret);
        expect([protocol, called.error]).toEqual([protocol, undefined]);
        const body = toBody(route, again, called);
        expect([protocol, same(body)]).toEqual([protocol, same(toText(route, rest))]);
        expect([protocol, called.headers.get("x-request-id")]).toEqual([protocol, requestId]);
      }
    }
  });

  const keyed = served.filter(({ method }) => takesIdempotencyKey(method) && method.methodKind === "unary");

  it.each(named(keyed))("replays a response of %s that was created over REST", async (name, route) => {
    const [sample = noRequest] = getSamples(route);
    const request = await sample(given.world);
    if (request.file !== undefined) return;
    const key = `parity of ${name}`;
    const rest = await overRest(route, request, given.world.secret, key);
    const givesSecret = route.method.output.field["secret"] !== undefined;
    for (const protocol of protocols) {
      const called = await overRpc(protocol, route, request, given.world.secret, key);
      if (givesSecret) {
        expect([protocol, called.error && getProblemFacts(called.error).reason]).toEqual([
          protocol,
          "SECRET_ALREADY_ISSUED",
        ]);
        continue;
      }
      expect([protocol, called.headers.get("idempotency-replayed")]).toEqual([protocol, "true"]);
      expect([protocol, toBody(route, request, called)]).toEqual([protocol, rest.text]);
    }
  });

  /** Compares an error over REST with those of the other protocols, which are the same facts. */
  async function expectSameError(
    route: Route,
    getRequest: () => SampleRequest | Promise<SampleRequest>,
    secret: string | undefined,
    key?: string,
  ): Promise<RestResponse> {
    const rest = await overRest(route, await getRequest(), secret, key);
    expect(rest.status).toBeGreaterThanOrEqual(400);
    for (const protocol of protocols) {
      const { error, headers } = await overRpc(protocol, route, await getRequest(), secret, key);
      const facts = getProblemFacts(error);
      const { instance } = rest.body;
      // gRPC and gRPC-Web have it in the headers and in the trailers, which the client joins.
      const sent = headers.get("x-request-id")?.split(", ")[0];
      expect({ protocol, sent, ...toProblem(facts, { instance, requestId }) }).toEqual({
        ...rest.body,
        ...{ protocol, sent: requestId },
      });
      expect([protocol, facts.retryAfterSeconds ?? null]).toEqual([
        protocol,
        toSeconds(rest.headers.get("retry-after")),
      ]);
    }
    return rest;
  }

  const toSeconds = (header: string | null): number | null => (header === null ? null : Number(header));

  /** Returns a sample request with other IDs in its path. Numbers stay. */
  const withPath = ({ path, ...rest }: SampleRequest, id: string): SampleRequest => ({
    ...rest,
    ...(path && {
      path: Object.fromEntries(Object.entries(path).map(([name, value]) => [name, /^\d+$/.test(value) ? value : id])),
    }),
  });

  it.each(named(rpcs))("has the same errors of %s", async (_, route) => {
    const [sample = noRequest] = getSamples(route);
    const request = await sample(given.world);
    for (const secret of [undefined, "swo_none"]) {
      const refused = await expectSameError(route, () => request, secret);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    if (request.path !== undefined) await expectSameError(route, () => withPath(request, "none"), given.world.secret);
    if (route.permission !== Permission.AUTHENTICATED && route.removed === undefined) {
      const other = route.permission === Permission.CLASSIFY ? callers.reading : callers.classifying;
      const refused = await expectSameError(route, () => request, other);
      expect(refused.body.code).toBe("MISSING_PERMISSION");
    }
    // Over RPC, an unset field is null.
    const isMissing = ({ required, nullable }: Rule) => required && !nullable;
    const required = getBodyFields(route).some(
      ({ field, steps }) => steps.length === 1 && isMissing(getOption(field, rule)),
    );
    if (route.body !== undefined && required && request.file === undefined) {
      await expectSameError(route, () => ({ ...request, body: {} }), given.world.secret);
    }
  });

  const reasons = Object.entries(provocations) as [ProblemReason, Provocation][];

  it.each(reasons)("has the same error for %s", async (reason, { rpc, request, secret, key, earlier }) => {
    const route = rpcs.find((one) => getName(one) === rpc);
    if (route === undefined) throw new Error(`there is no ${rpc}`);
    const prepared = await request(given.world, callers);
    const caller = secret === undefined ? given.world.secret : secret(callers);
    if (key !== undefined) await overRest(route, earlier?.(given.world) ?? prepared, caller, key);
    const refused = await expectSameError(route, () => prepared, caller, key);
    expect(refused.body.code).toBe(reason);
  });

  it("is compared for every reason, or there is an explanation", () => {
    const known = Object.keys({ ...provocations, ...notProvoked }).toSorted();
    expect(known).toEqual(Object.keys(problemReasons).toSorted());
    expect(Object.keys(notProvoked).filter((reason) => Object.hasOwn(provocations, reason))).toEqual([]);
  });
});
