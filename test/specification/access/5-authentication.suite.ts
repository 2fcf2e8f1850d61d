import { createGrpcTransport } from "@connectrpc/connect-node";
import { createClient } from "@connectrpc/connect";
import { publicServices } from "@switchyard/gateway";
import { getProblemFacts } from "@switchyard/rpc";
import { createRest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { givenSystem } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";
import { endpoints, getName, send } from "../testing/rpcs.ts";

/** Sections 5 and 9, for every endpoint of the contracts: the token is checked first, and removed paths remain. */
export function authenticationSuite(where: Where): void {
  const given = givenSystem(where);
  let system: TestSystem;
  beforeAll(() => ({ system } = given));

  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  /** Every path once, with IDs that do not exist. */
  const paths = [...new Set(endpoints.map(({ path }) => path.replace(/\{[^}]*\}/g, "none")))];
  const known = new Set(endpoints.map(({ httpMethod, path }) => `${httpMethod} ${path.replace(/\{[^}]*\}/g, "none")}`));

  it("is 401 without a bearer token, whatever else is wrong, including removed and unknown paths", async () => {
    const wrong: string[] = [];
    for (const headers of [{}, { authorization: `Basic ${system.token}` }, { authorization: "Bearer swo_none" }]) {
      for (const path of [...paths, "/api/v1/none"]) {
        for (const method of methods) {
          const response = await createRest(system.url).send(path, { method, headers });
          const { status, headers: given } = response;
          if (status !== 401 || given.get("www-authenticate") !== "Bearer")
            wrong.push(`${method} ${path}: ${response.text}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is UNAUTHENTICATED over gRPC without a token", async () => {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` });
    const wrong: string[] = [];
    for (const { service } of publicServices) {
      const client = createClient(service, transport) as Record<string, (request: object) => unknown>;
      for (const { localName, methodKind } of service.methods) {
        const call = async (): Promise<void> => {
          async function* nothing() {
            yield {};
          }
          const response = client[localName]?.(methodKind === "client_streaming" ? nothing() : {});
          if (methodKind === "server_streaming") for await (const _ of response as AsyncIterable<unknown>);
          else await response;
        };
        const reason = await call().then(
          () => "done",
          (error: unknown) => getProblemFacts(error).reason,
        );
        if (!/^TOKEN_/.test(reason)) wrong.push(`${localName}: ${reason}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is 405 with the allowed methods for another method; an unknown path is 404", async () => {
    const rest = createRest(system.url, system.token);
    const wrong: string[] = [];
    for (const path of paths) {
      const allowed = methods.filter((method) => known.has(`${method} ${path}`));
      for (const method of methods.filter((each) => !allowed.includes(each))) {
        const { status, headers } = await rest.send(path, { method });
        const allow = (headers.get("allow") ?? "").split(", ").filter((each) => methods.includes(each));
        if (status !== 405 || allow.sort().join() !== allowed.sort().join()) {
          wrong.push(`${method} ${path}: ${status} ${headers.get("allow")}`);
        }
      }
      const { status } = await rest.get(`${path}/none/none/none`);
      if (status !== 404) wrong.push(`GET ${path}/none/none/none: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it("is 410 with its replacements for any ID if it was removed", async () => {
    const removed = endpoints.filter((route) => route.removed !== undefined);
    expect(removed.map(getName)).toEqual(["ConfigurationService.GetProjectSchema"]);
    for (const route of removed) {
      const path = Object.fromEntries(route.template.variables.map(() => ["projectId", "none"]));
      const { status, body } = await send(createRest(system.url, system.token), route, { path });
      expect([status, body.code, body.replacements]).toEqual([410, "ENDPOINT_REMOVED", route.removed?.replacements]);
    }
  });
}
