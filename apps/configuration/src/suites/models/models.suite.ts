import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { ColumnType, ModelStatus, ModelType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Model } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { TestDatabase } from "@switchyard/storage/testing";
import { configurationModels } from "../../store/configuration-documents.ts";
import { invoice, useConfigurationFixture } from "../../testing/configuration-fixture.ts";
import type { ModelInit } from "../../testing/configuration-fixture.ts";
import { as, getRefusal } from "../../testing/test-service.ts";

/** Tests models and deployments, on the given server. */
export function modelsSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useConfigurationFixture(provide);

  describe("CreateModel", () => {
    it("creates the first schema of a model with tables", async () => {
      const model = await fixture.createModel();
      expect(model).toMatchObject({
        name: "Invoices",
        type: ModelType.MODEL,
        status: ModelStatus.ACTIVE,
        projectId: fixture.projectId,
        tableCount: 2,
        deployments: [],
      });
      const configuration = await fixture.read(model.id);
      expect(configuration).toMatchObject({
        target: {
          id: model.id,
          name: "Invoices",
          type: ModelType.MODEL,
          status: ModelStatus.ACTIVE,
          projectId: fixture.projectId,
        },
        schemaId: model.schemaId,
        version: 1,
        instructions: "Supplier invoices",
        extractionSettings: { engine: "local", useExamples: true, numberOfExamples: 5 },
      });
      expect(configuration.tables).toMatchObject([
        { slug: "invoice", name: "Invoice", instructions: "", isPrimary: true },
        { slug: "lines", name: "lines", instructions: "One row per item", isPrimary: false },
      ]);
      const [invoiceTable, lines] = configuration.tables.map(({ id }) => id);
      expect(configuration.columns).toMatchObject([
        { tableId: invoiceTable, slug: "number", type: ColumnType.TEXT, sharedId: "doc_no", isKey: true, index: 0 },
        { tableId: invoiceTable, slug: "total", type: ColumnType.NUMBER, synonyms: ["Amount due"], index: 1 },
        { tableId: lines, slug: "item", name: "item", index: 0 },
        { tableId: lines, slug: "total", excludedFromExtraction: true, index: 1 },
        { tableId: invoiceTable, slug: "kind", type: ColumnType.ENUM, enumValues: ["A", "B"], index: 2 },
      ]);
      expect(configuration.columns[1]?.sharedId).toBeUndefined();
      expect(new Set(configuration.columns.map(({ id }) => id)).size).toBe(5);
    });

    it("creates a model without tables without a schema, but keeps its instructions", async () => {
      const model = await fixture.createModel({ name: " Bare ", instructions: "Later" });
      expect([model.name, model.schemaId, model.tableCount]).toEqual(["Bare", undefined, 0]);
      const configuration = await fixture.read(model.id);
      expect(configuration).toMatchObject({ version: 0, instructions: "Later", tables: [], columns: [] });
      expect(configuration.schemaId).toBeUndefined();
    });

    it("keeps names unique in a project, ignoring case, even for concurrent calls", async () => {
      const outcomes = await Promise.allSettled(
        ["Invoices", " INVOICES "].map((name) => fixture.createModel({ ...invoice, name })),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await getRefusal(fixture.createModel({ name: "invoices" }))).toBe("NAME_TAKEN");
      expect((await fixture.createHidden()).name).toBe("Invoices");
      const { schemas } = configurationModels(fixture.service.storage.connection);
      expect(await schemas.countDocuments({})).toBe(2);
    });

    it("reports all violations at once, with their paths", async () => {
      const refused = fixture.createModel({
        name: "",
        tables: [{ slug: "a" }, { slug: "a" }],
        columns: [{ slug: "x" }, { table: "b", slug: "1" }, { table: "a", slug: "y", type: ColumnType.ENUM }],
        extractionSettings: { engine: "remote" },
      });
      expect((await getRefusal(refused)).split(" ")).toEqual([
        "INVALID_REQUEST",
        "name",
        "tables[1].slug",
        "tables",
        "columns[0].table",
        "columns[1].table",
        "columns[1].slug",
        "columns[2].enumValues",
        "extractionSettings.engine",
      ]);
    });

    it("checks the project, then access to it, then the values, then the name", async () => {
      await fixture.createModel();
      const inProject = (project: string, init: ModelInit) => getRefusal(fixture.createModel(init, project));
      expect(await inProject("prj_none", { name: "" })).toBe("PROJECT_NOT_FOUND projectId");
      expect(await inProject(fixture.hiddenProjectId, { name: "" })).toBe("PROJECT_OUT_OF_REACH");
      expect(await inProject(fixture.projectId, { ...invoice, columns: [{ slug: "x" }] })).toBe(
        "INVALID_REQUEST columns[0].table",
      );
      expect(await inProject(fixture.projectId, invoice)).toBe("NAME_TAKEN");
      const foreign = fixture.service.configuration.createModel(
        { projectId: fixture.projectId, name: "" },
        as(fixture.outsider),
      );
      expect(await getRefusal(foreign)).toBe("PROJECT_NOT_FOUND projectId");
    });
  });

  describe("ListModels", () => {
    it("lists models and their deployments in the order of creation, filtered by status", async () => {
      const names = ["B", "A", "C"];
      const models: Model[] = [];
      for (const name of names) models.push(await fixture.createModel({ ...invoice, name }));
      const [b, a] = models.map(({ id }) => id) as [string, string];
      await fixture.deploy(a, "second");
      await fixture.deploy(b, "other");
      await fixture.deploy(a, "first");
      await fixture.service.configuration.pause({ targetId: a }, as(fixture.caller));
      await fixture.createHidden();
      const list = async (status: ModelStatus = ModelStatus.UNSPECIFIED) =>
        (await fixture.service.configuration.listModels({ projectId: fixture.projectId, status }, as(fixture.caller)))
          .models;
      const all = await list();
      expect(all.map(({ name }) => name)).toEqual(names);
      expect(all.map(({ deployments }) => deployments.map(({ name }) => name))).toEqual([
        ["other"],
        ["second", "first"],
        [],
      ]);
      expect(all[1]?.deployments[0]?.schemaId).toBe(models[1]?.schemaId);
      expect((await list(ModelStatus.ACTIVE)).map(({ name }) => name)).toEqual(["B", "C"]);
      expect((await list(ModelStatus.PAUSED)).map(({ name }) => name)).toEqual(["A"]);
    });

    it("reports the project as not found or out of reach, or a missing permission", async () => {
      const list = (project: string, who: Caller) =>
        getRefusal(fixture.service.configuration.listModels({ projectId: project }, as(who)));
      expect(await list(fixture.projectId, fixture.outsider)).toBe("PROJECT_NOT_FOUND projectId");
      expect(await list(fixture.hiddenProjectId, fixture.caller)).toBe("PROJECT_OUT_OF_REACH");
      expect(await list(fixture.projectId, { ...fixture.caller, permissions: [Permission.CLASSIFY] })).toBe(
        "MISSING_PERMISSION",
      );
    });
  });

  describe("CreateDeployment", () => {
    it("serves the current schema, or the given one", async () => {
      const model = await fixture.createModel();
      const second = await fixture.update(model.id, { instructions: "2" });
      const current = await fixture.deploy(model.id, " Current ");
      expect(current).toMatchObject({
        name: "Current",
        type: ModelType.PRODUCTION,
        status: ModelStatus.ACTIVE,
        modelId: model.id,
        projectId: fixture.projectId,
        schemaId: second.schemaId,
      });
      expect((await fixture.deploy(current.id, "Old", model.schemaId)).schemaId).toBe(model.schemaId);
      expect((await fixture.deploy(model.schemaId ?? "", "Also current")).schemaId).toBe(second.schemaId);
    });

    it("checks the values, then the model's schema, then the given schema, then the name", async () => {
      const model = await fixture.createModel();
      const other = await fixture.createModel({ ...invoice, name: "Other" });
      const bare = await fixture.createModel({ name: "Bare" });
      const foreignProject = await fixture.service.identity.createProject({ name: "Foreign" }, as(fixture.outsider));
      const outsider = { ...fixture.outsider, projectIds: [foreignProject.id] };
      const foreign = await fixture.service.configuration.createModel(
        { ...invoice, projectId: foreignProject.id },
        as(outsider),
      );
      await fixture.deploy(model.id, "Taken");
      expect(await getRefusal(fixture.deploy(bare.id, ""))).toBe("INVALID_REQUEST name");
      expect(await getRefusal(fixture.deploy(bare.id, "x", "sch_none"))).toBe("MODEL_HAS_NO_SCHEMA deploymentId");
      expect(await getRefusal(fixture.deploy(model.id, "taken", "sch_none"))).toBe(
        "SCHEMA_NOT_FOUND extractionSchemaId",
      );
      expect(await getRefusal(fixture.deploy(model.id, "taken", foreign.schemaId))).toBe(
        "SCHEMA_NOT_FOUND extractionSchemaId",
      );
      expect(await getRefusal(fixture.deploy(model.id, "taken", other.schemaId))).toBe(
        "SCHEMA_OF_ANOTHER_MODEL extractionSchemaId",
      );
      expect(await getRefusal(fixture.deploy(model.id, "TAKEN"))).toBe("NAME_TAKEN");
      expect((await fixture.deploy(other.id, "Taken")).name).toBe("Taken");
    });
  });

  describe("Pause and Resume", () => {
    it("set the status, and change nothing if it is set already", async () => {
      const model = await fixture.createModel();
      const at = fixture.later();
      const paused = await fixture.service.configuration.pause({ targetId: model.id }, as(fixture.caller));
      expect(paused).toMatchObject({ id: model.id, type: ModelType.MODEL, status: ModelStatus.PAUSED });
      expect(paused.updatedAt && timestampDate(paused.updatedAt)).toEqual(at);
      fixture.later();
      expect(await fixture.service.configuration.pause({ targetId: model.schemaId ?? "" }, as(fixture.caller))).toEqual(
        paused,
      );
      const resumed = await fixture.service.configuration.resume({ targetId: model.id }, as(fixture.caller));
      expect(resumed.status).toBe(ModelStatus.ACTIVE);
    });

    it("of a deployment do not change its model", async () => {
      const model = await fixture.createModel();
      const deployment = await fixture.deploy(model.id, "Main");
      const paused = await fixture.service.configuration.pause({ targetId: deployment.id }, as(fixture.caller));
      expect(paused).toMatchObject({ type: ModelType.PRODUCTION, status: ModelStatus.PAUSED });
      expect((await fixture.read(model.id)).target?.status).toBe(ModelStatus.ACTIVE);
    });

    it("require access to the project", async () => {
      const hidden = await fixture.createHidden();
      expect(await getRefusal(fixture.service.configuration.pause({ targetId: hidden.id }, as(fixture.caller)))).toBe(
        "PROJECT_OUT_OF_REACH",
      );
    });
  });

  describe("GetProjectSchema", () => {
    it("is removed", async () => {
      expect(
        await getRefusal(
          fixture.service.configuration.getProjectSchema({ projectId: fixture.projectId }, as(fixture.caller)),
        ),
      ).toBe("ENDPOINT_REMOVED");
    });
  });
}
