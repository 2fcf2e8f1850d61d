import { toJson } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Route } from "@switchyard/rest";
import { getProblemFacts } from "@switchyard/rpc";
import { createRest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import type { Where } from "../testing/office.ts";
import { getMessage, getName, rpcs, send } from "../testing/rpcs.ts";
import type { SampleRequest } from "../testing/rpcs.ts";
import { givenSampleWorld } from "../testing/sample-world.ts";
import type { SampleWorld } from "../testing/sample-world.ts";
import { getSamples } from "../testing/samples.ts";
import type { Sample } from "../testing/samples.ts";

const keyed = rpcs.filter(({ httpMethod, removed }) => httpMethod === "POST" && removed === undefined);
const givesSecret = (method: DescMethod) => method.output.field["secret"] !== undefined;

/** Section 8, for every method: those that are POST in REST accept a key, even if they change nothing. */
export function idempotencyGuardSuite(where: Where): void {
  const given = givenSampleWorld(where);
  let system: TestSystem;
  let world: SampleWorld;

  beforeAll(() => ({ system, world } = given));

  /** Returns a sample request, and another one that must not be treated as the same. */
  async function twoRequests(route: Route): Promise<[SampleRequest, SampleRequest]> {
    const [sample, ...more] = getSamples(route) as readonly [Sample, ...Sample[]];
    const one = await sample(world);
    for (const each of [sample, ...more]) {
      const other = await each(world);
      if (JSON.stringify(other) !== JSON.stringify(one)) return [one, other];
    }
    if (one.file !== undefined) return [one, { ...one, file: { ...one.file, text: "Another document" } }];
    return [one, { ...one, path: Object.fromEntries(Object.keys(one.path ?? {}).map((name) => [name, "another"])) }];
  }

  it("describes the Idempotency-Key header, and no other method does", async () => {
    const { paths } = (await world.rest.get("/openapi.json")).body;
    const described = Object.values<any>(paths).flatMap((path) =>
      Object.values<any>(path).filter(({ parameters }) => JSON.stringify(parameters).includes("IdempotencyKey")),
    );
    const operations = described.map(({ operationId }) => operationId.replace("_", ".").replace(/_\d$/, ""));
    expect([...new Set(operations)].sort()).toEqual(keyed.map(getName).sort());
  });

  it.each(keyed.map((route) => [getName(route), route] as const))("has one effect per key: %s", async (name, route) => {
    const [one, other] = await twoRequests(route);
    const { method } = route;
    const rest = createRest(system.url, system.token, { "idempotency-key": `guard ${name}` });

    const first = await send(rest, route, one);
    expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([route.successStatus, null]);
    const again = await send(rest, route, one);
    if (givesSecret(method)) {
      expect([again.status, again.body.code]).toEqual([409, "SECRET_ALREADY_ISSUED"]);
    } else {
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([first.status, "true"]);
      expect(again.text).toBe(first.text);
      expect(again.headers.get("location")).toBe(first.headers.get("location"));
    }
    const reused = await send(rest, route, other);
    expect([reused.status, reused.body.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);

    // The same message over gRPC counts as the same request.
    if (method.methodKind !== "unary" || one.file !== undefined) return;
    const outcome = await call(
      method as DescMethodUnary<DescMessage, DescMessage>,
      getMessage(route, one),
      `guard ${name}`,
    );
    if (givesSecret(method)) expect(outcome).toEqual({ reason: "SECRET_ALREADY_ISSUED" });
    else expect(outcome).toMatchObject({ replayed: "true", id: first.body.id });
  });

  async function call(
    method: DescMethodUnary<DescMessage, DescMessage>,
    message: Message,
    key: string,
  ): Promise<object> {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` });
    const headers = { authorization: `Bearer ${system.token}`, "idempotency-key": key };
    try {
      const response = await transport.unary(method, undefined, 20_000, headers, message);
      const { id } = toJson(method.output, response.message) as { id?: string };
      return { replayed: response.header.get("idempotency-replayed"), id };
    } catch (error) {
      return { reason: getProblemFacts(error).reason };
    }
  }
}
