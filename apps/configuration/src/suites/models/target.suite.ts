import { createClient } from "@connectrpc/connect";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { TestDatabase } from "@switchyard/storage/testing";
import { invoice, useConfigurationFixture } from "../../testing/configuration-fixture.ts";
import { as, getRefusal } from "../../testing/test-service.ts";

/** Tests the methods by which services look up the targets of routes, on the given server. */
export function targetSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useConfigurationFixture(provide);

  describe("ResolveTargets", () => {
    it("returns the model and the deployment of each reference, in order", async () => {
      const model = await fixture.createModel();
      const hidden = await fixture.createHidden();
      const deployment = await fixture.deploy(model.id, "Pinned");
      await fixture.update(model.id, { columns: [{ table: "lines", slug: "only", name: "Only" }] });
      await fixture.service.configuration.pause({ targetId: deployment.id }, as(fixture.caller));
      const { targets } = await fixture.service.targets.resolveTargets({
        targets: [
          { modelId: hidden.id },
          { modelId: model.schemaId ?? "", deploymentId: deployment.id },
          { modelId: "mdl_none", deploymentId: "dep_none" },
          { modelId: model.id },
          { modelId: deployment.id },
        ],
      });
      expect(targets.map((target) => [target.model?.id, target.deployment?.id])).toEqual([
        [hidden.id, undefined],
        [model.id, deployment.id],
        [undefined, undefined],
        [model.id, undefined],
        [undefined, undefined],
      ]);
      expect(targets[1]).toMatchObject({
        model: {
          name: "Invoices",
          status: ModelStatus.ACTIVE,
          organizationId: fixture.caller.organizationId,
          projectId: fixture.projectId,
          projectName: "Payable",
          columnNames: ["Only"],
        },
        deployment: {
          name: "Pinned",
          status: ModelStatus.PAUSED,
          modelId: model.id,
          schemaId: model.schemaId,
          columnNames: ["Invoice number", "Total", "item", "kind"],
        },
      });
      expect(targets[0]?.model).toMatchObject({ projectName: "Hidden", projectId: fixture.hiddenProjectId });
    });

    it("accepts up to 1,000 references, with the same number of queries for few and many", async () => {
      const models = [await fixture.createModel(), await fixture.createModel({ ...invoice, name: "Other" })];
      const resolve = (count: number): Promise<number> => {
        const targets = Array.from({ length: count }, (_, index) => ({ modelId: models[index % 2]?.id ?? "" }));
        return fixture.countQueries(() => fixture.service.targets.resolveTargets({ targets }));
      };
      const few = await resolve(2);
      expect(few).toBeGreaterThan(0);
      expect(await resolve(1000)).toBe(few);
      expect(await getRefusal(resolve(1001))).toBe("INVALID_REQUEST targets");
    });

    it("is for services only", async () => {
      const asGateway = createClient(TargetService, fixture.service.getTransport("gateway"));
      expect(await getRefusal(asGateway.resolveTargets({ targets: [] }, as(fixture.caller)))).toBe("SERVICE_ONLY");
    });
  });

  describe("GetSchema", () => {
    it("returns the configuration of a schema of any organization", async () => {
      const model = await fixture.createModel();
      await fixture.update(model.id, { instructions: "2" });
      const schema = await fixture.service.targets.getSchema({ schemaId: model.schemaId ?? "" });
      expect(schema).toEqual(await fixture.read(model.schemaId ?? ""));
      expect(await getRefusal(fixture.service.targets.getSchema({ schemaId: model.id }))).toBe(
        "SCHEMA_NOT_FOUND schemaId",
      );
    });
  });
}
