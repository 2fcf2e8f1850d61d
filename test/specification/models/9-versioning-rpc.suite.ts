import { createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { ConfigurationService, ModelType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { getProblemFacts } from "@switchyard/rpc";
import { givenOffice } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

/** Section 9 over a protocol other than REST. */
export function versioningRpcSuite(where: Where, protocol: "Connect" | "gRPC-Web" | "gRPC"): void {
  const given = givenOffice(where);
  let client: Client<typeof ConfigurationService>;
  let options: { headers: Record<string, string> };

  beforeAll(() => {
    const { url, grpcPort, token } = given.system;
    const overHttp = protocol === "Connect" ? createConnectTransport : createGrpcWebTransport;
    const transport =
      protocol === "gRPC"
        ? createGrpcTransport({ baseUrl: `http://127.0.0.1:${grpcPort}` })
        : overHttp({ baseUrl: url, httpVersion: "1.1" });
    client = createClient(ConfigurationService, transport);
    options = { headers: { authorization: `Bearer ${token}` } };
  });

  const refusal = async (call: Promise<unknown>): Promise<string> => {
    const facts = await call.then(() => undefined, getProblemFacts);
    if (facts === undefined) throw new Error("not refused");
    return [facts.reason, ...facts.violations.map(({ field }) => field)].join(" ");
  };

  it("a deployment is promoted and rolled back without a mask: fields with a value are changed", async () => {
    const { deployment: targetId, firstSchema, secondSchema } = given.office;
    const promoted = await client.updateModelOrDeployment({ targetId, schemaId: secondSchema }, options);
    expect(promoted).toMatchObject({ name: "Invoices, stable", type: ModelType.PRODUCTION, schemaId: secondSchema });
    expect((await client.getConfiguration({ targetId }, options)).version).toBe(2);
    await client.updateModelOrDeployment({ targetId, schemaId: firstSchema }, options);
    expect((await client.getConfiguration({ targetId }, options)).version).toBe(1);
  });

  it("the history and the differences of versions are available", async () => {
    const { invoices: targetId, firstSchema, secondSchema } = given.office;
    const { versions } = await client.listConfigurationVersions({ targetId, limit: 1 }, options);
    expect(versions).toMatchObject([{ schemaId: secondSchema, version: 2, isCurrent: true }]);
    const { added, removed, changed } = await client.diffConfigurations({ targetId, from: firstSchema }, options);
    expect(added.map(({ slug }) => slug)).toEqual(["iban"]);
    expect([removed, changed]).toEqual([[], []]);
  });

  it("errors have the same reasons and fields as over REST", async () => {
    const { invoices, deployment, firstSchema } = given.office;
    const change = (init: Parameters<typeof client.updateModelOrDeployment>[0]) =>
      refusal(client.updateModelOrDeployment(init, options));
    expect(await change({ targetId: invoices, schemaId: firstSchema })).toBe("INVALID_REQUEST extractionSchemaId");
    expect(await change({ targetId: deployment, schemaId: "sch_none" })).toBe("SCHEMA_NOT_FOUND extractionSchemaId");
    const mask = { paths: ["name", "status"] };
    expect(await change({ targetId: deployment, updateMask: mask })).toBe("INVALID_REQUEST status name");
    expect(await refusal(client.getProjectSchema({ projectId: "prj_any" }, options))).toBe("ENDPOINT_REMOVED");
    expect(await refusal(client.getProjectSchema({ projectId: "prj_any" }))).toBe("TOKEN_MISSING");
    const remove = (targetId: string) => client.deleteModelOrDeployment({ targetId }, options);
    expect(await refusal(remove(invoices))).toBe("HAS_DEPLOYMENTS");
    expect(await refusal(remove(firstSchema))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
    await remove(deployment);
    await remove(invoices);
    expect(await refusal(remove(invoices))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
  });
}
