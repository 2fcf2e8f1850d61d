import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ModelStatus, ModelType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { TestDatabase } from "@switchyard/storage/testing";
import { invoice, useConfigurationFixture } from "../../testing/configuration-fixture.ts";
import { as, getRefusal } from "../../testing/test-service.ts";

/** Tests configurations and their versions, on the given server. */
export function configurationSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useConfigurationFixture(provide);

  describe("GetConfiguration", () => {
    it("returns the current version of a model, the served version of a deployment, and the version of a schema", async () => {
      const model = await fixture.createModel();
      const pinned = await fixture.deploy(model.id, "Pinned");
      await fixture.service.configuration.pause({ targetId: pinned.id }, as(fixture.caller));
      const second = await fixture.update(model.id, { instructions: "Changed" });
      expect(second).toMatchObject({ version: 2, target: { id: model.id } });
      expect(await fixture.read(model.id)).toEqual(second);
      expect(await fixture.read(pinned.id)).toMatchObject({
        version: 1,
        schemaId: model.schemaId,
        instructions: "Supplier invoices",
        target: {
          id: pinned.id,
          name: "Pinned",
          type: ModelType.PRODUCTION,
          status: ModelStatus.PAUSED,
          projectId: fixture.projectId,
        },
      });
      expect(await fixture.read(model.schemaId ?? "")).toMatchObject({
        version: 1,
        schemaId: model.schemaId,
        target: { id: model.id, type: ModelType.MODEL },
      });
    });

    it("reports unknown IDs and those of other organizations as not found, and those in other projects as out of reach", async () => {
      const model = await fixture.createModel();
      const hidden = await fixture.createHidden();
      const readForeign = () =>
        fixture.service.configuration.getConfiguration({ targetId: model.schemaId ?? "" }, as(fixture.outsider));
      expect(await getRefusal(fixture.read("mdl_none"))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      expect(await getRefusal(readForeign())).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      expect(await getRefusal(fixture.read(hidden.id))).toBe("PROJECT_OUT_OF_REACH");
      expect(await getRefusal(fixture.read(hidden.schemaId ?? ""))).toBe("PROJECT_OUT_OF_REACH");
    });
  });

  describe("UpdateConfiguration", () => {
    it("creates a version, and keeps the IDs of tables and columns with unchanged slugs", async () => {
      const model = await fixture.createModel();
      const before = await fixture.read(model.id);
      const at = fixture.later();
      const after = await fixture.update(model.id, {
        tables: [
          { slug: "lines", name: "Items" },
          { slug: "invoice", isPrimary: true },
        ],
        columns: [
          { table: "lines", slug: "total" },
          { table: "invoice", slug: "total", name: "Sum" },
          { table: "lines", slug: "number" },
        ],
      });
      const getId = (configuration: Configuration, table: string, column: string) => {
        const tableId = configuration.tables.find(({ slug }) => slug === table)?.id;
        return configuration.columns.find(({ slug, tableId: of }) => slug === column && of === tableId)?.id;
      };
      expect(after.version).toBe(2);
      expect(after.updatedAt && timestampDate(after.updatedAt)).toEqual(at);
      expect(after.tables.map(({ id }) => id)).toEqual(before.tables.map(({ id }) => id).toReversed());
      expect(getId(after, "invoice", "total")).toBe(getId(before, "invoice", "total"));
      expect(getId(after, "lines", "total")).toBe(getId(before, "lines", "total"));
      expect(before.columns.map(({ id }) => id)).not.toContain(getId(after, "lines", "number"));
      const [listed] = (
        await fixture.service.configuration.listModels({ projectId: fixture.projectId }, as(fixture.caller))
      ).models;
      expect(listed?.schemaId).toBe(after.schemaId);
      expect(await fixture.read(before.schemaId ?? "")).toEqual(before);
    });

    it("creates no version if nothing changes", async () => {
      const model = await fixture.createModel();
      fixture.later();
      const before = await fixture.read(model.id);
      expect(await fixture.update(model.id, { updateMask: { paths: [] } })).toEqual(before);
      expect(await fixture.update(model.id, { updateMask: { paths: ["instructions"] }, ...invoice })).toEqual(before);
      expect(await fixture.update(model.id, { ...invoice, updateMask: { paths: ["tables", "columns"] } })).toEqual(
        before,
      );
      const [listed] = (
        await fixture.service.configuration.listModels({ projectId: fixture.projectId }, as(fixture.caller))
      ).models;
      expect(listed).toEqual(model);
    });

    it("changes only the fields of the mask", async () => {
      const model = await fixture.createModel();
      const paths = ["instructions", "extraction_settings"];
      const after = await fixture.update(model.id, {
        instructions: "",
        tables: [{ slug: "ignored" }],
        extractionSettings: { useExamples: false, numberOfExamples: 3 },
        updateMask: { paths },
      });
      expect(after).toMatchObject({
        version: 2,
        instructions: "",
        tables: [{ slug: "invoice" }, { slug: "lines" }],
        extractionSettings: { engine: "local", useExamples: false, numberOfExamples: 3 },
      });
      expect(await getRefusal(fixture.update(model.id, { updateMask: { paths: ["name"] } }))).toBe(
        "INVALID_REQUEST name",
      );
    });

    it("creates the first schema of a model with its first tables", async () => {
      const model = await fixture.createModel({ name: "Bare" });
      const draft = await fixture.update(model.id, { instructions: "Soon" });
      expect([draft.schemaId, draft.version, draft.instructions]).toEqual([undefined, 0, "Soon"]);
      const first = await fixture.update(model.id, { tables: [{ slug: "main" }], columns: [{ slug: "a" }] });
      expect(first).toMatchObject({ version: 1, instructions: "Soon", tables: [{ isPrimary: true }] });
      expect(first.columns[0]?.tableId).toBe(first.tables[0]?.id);
    });

    it("changes the model of a deployment or schema, without changing what a deployment serves", async () => {
      const model = await fixture.createModel();
      const deployment = await fixture.deploy(model.id, "Pinned");
      const second = await fixture.update(deployment.id, { instructions: "2" });
      const third = await fixture.update(model.schemaId ?? "", { instructions: "3" });
      expect([second.version, third.version, third.target?.id]).toEqual([2, 3, model.id]);
      expect((await fixture.read(deployment.id)).version).toBe(1);
    });

    it("rejects tables that do not fit the existing columns, and an empty list of tables", async () => {
      const model = await fixture.createModel();
      const alone = { tables: [{ slug: "invoice" }], updateMask: { paths: ["tables"] } };
      expect(await getRefusal(fixture.update(model.id, alone))).toBe("INVALID_REQUEST tables tables");
      expect(await getRefusal(fixture.update(model.id, { updateMask: { paths: ["tables", "columns"] } }))).toBe(
        "INVALID_REQUEST tables",
      );
      expect((await fixture.read(model.id)).version).toBe(1);
    });

    it("creates a version for each concurrent change, and loses none", async () => {
      const model = await fixture.createModel();
      const changes = Array.from({ length: 6 }, (_, index) => fixture.update(model.id, { instructions: `v${index}` }));
      const versions = (await Promise.all(changes)).map(({ version }) => version);
      expect(versions.toSorted()).toEqual([2, 3, 4, 5, 6, 7]);
      expect((await fixture.read(model.id)).version).toBe(7);
    });
  });
}
