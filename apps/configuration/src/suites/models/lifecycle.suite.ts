import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ModelType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  ListConfigurationVersionsRequestSchema,
  UpdateModelOrDeploymentRequestSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { TestDatabase } from "@switchyard/storage/testing";
import { configurationModels } from "../../store/configuration-documents.ts";
import { invoice, useConfigurationFixture } from "../../testing/configuration-fixture.ts";
import { as, getRefusal } from "../../testing/test-service.ts";

type Change = Omit<MessageInitShape<typeof UpdateModelOrDeploymentRequestSchema>, "targetId" | "$typeName">;
type Paging = Omit<MessageInitShape<typeof ListConfigurationVersionsRequestSchema>, "targetId" | "$typeName">;

/** Tests the changes of models and deployments after their creation, on the given server. */
export function lifecycleSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useConfigurationFixture(provide);

  const change = (targetId: string, what: Change, who = fixture.caller) =>
    fixture.service.configuration.updateModelOrDeployment({ ...what, targetId }, as(who));
  const remove = (targetId: string, who = fixture.caller) =>
    fixture.service.configuration.deleteModelOrDeployment({ targetId }, as(who));
  const versions = (targetId: string, paging: Paging = {}) =>
    fixture.service.configuration.listConfigurationVersions({ ...paging, targetId }, as(fixture.caller));
  const diff = (targetId: string, from: string, to = "") =>
    fixture.service.configuration.diffConfigurations({ targetId, from, to }, as(fixture.caller));

  /** Creates a model with three versions and a deployment that serves the first. */
  async function threeVersions() {
    const model = await fixture.createModel();
    const deployment = await fixture.deploy(model.id, "Stable");
    const second = await fixture.update(model.id, { instructions: "2" });
    const third = await fixture.update(model.id, { instructions: "3" });
    const schemas = [model, second, third].map(({ schemaId }) => schemaId ?? "") as [string, string, string];
    return { model, deployment, schemas };
  }

  describe("UpdateModelOrDeployment", () => {
    it("switches a deployment to a later or earlier schema of its model", async () => {
      const { deployment, schemas, model } = await threeVersions();
      const at = fixture.later();
      const promoted = await change(deployment.id, { schemaId: schemas[2] });
      expect(promoted).toMatchObject({ id: deployment.id, type: ModelType.PRODUCTION, schemaId: schemas[2] });
      expect(promoted.updatedAt && timestampDate(promoted.updatedAt)).toEqual(at);
      expect((await fixture.read(deployment.id)).version).toBe(3);
      expect((await change(deployment.id, { schemaId: schemas[0] })).schemaId).toBe(schemas[0]);
      expect((await fixture.read(deployment.id)).version).toBe(1);
      expect((await fixture.read(model.id)).version).toBe(3);
    });

    it("renames models and deployments, with the name trimmed, even by the ID of a schema", async () => {
      const { model, deployment, schemas } = await threeVersions();
      expect(await change(model.id, { name: " Bills " })).toMatchObject({ id: model.id, name: "Bills" });
      expect(await change(schemas[0], { name: "INVOICES" })).toMatchObject({ id: model.id, name: "INVOICES" });
      expect(await change(deployment.id, { name: "stable" })).toMatchObject({ id: deployment.id, name: "stable" });
    });

    it("writes nothing if no value differs", async () => {
      const { model, deployment, schemas } = await threeVersions();
      const before = await change(deployment.id, { updateMask: { paths: [] } });
      fixture.later();
      expect(await change(deployment.id, { name: "Stable", schemaId: schemas[0] })).toEqual(before);
      expect(await change(deployment.id, { updateMask: { paths: ["name"] }, name: " Stable" })).toEqual(before);
      const listed = await change(model.id, {});
      expect(listed.updatedAt).toEqual((await change(model.id, { name: "Invoices" })).updatedAt);
    });

    it("checks the object, then all values, then the schema, then the name", async () => {
      const { model, deployment, schemas } = await threeVersions();
      const other = await fixture.createModel({ ...invoice, name: "Other" });
      await fixture.deploy(model.id, "Taken");
      const hidden = await fixture.createHidden();
      const refused = (id: string, what: Change, who = fixture.caller) => getRefusal(change(id, what, who));
      expect(await refused("dep_none", { name: "" })).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      expect(await refused(model.id, { name: "x" }, fixture.outsider)).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      expect(await refused(hidden.id, { name: "x" })).toBe("PROJECT_OUT_OF_REACH");
      const both = { updateMask: { paths: ["name", "schema_id"] }, schemaId: "sch_none" };
      expect(await refused(model.id, both)).toBe("INVALID_REQUEST name extractionSchemaId");
      expect(await refused(schemas[0], { schemaId: schemas[1] })).toBe("INVALID_REQUEST extractionSchemaId");
      expect(await refused(deployment.id, both)).toBe("INVALID_REQUEST name");
      const named = { name: "taken" };
      expect(await refused(deployment.id, { ...named, schemaId: "sch_none" })).toBe(
        "SCHEMA_NOT_FOUND extractionSchemaId",
      );
      expect(await refused(deployment.id, { ...named, schemaId: other.schemaId ?? "" })).toBe(
        "SCHEMA_OF_ANOTHER_MODEL extractionSchemaId",
      );
      expect(await refused(deployment.id, { ...named, schemaId: schemas[1] })).toBe("NAME_TAKEN");
      expect(await refused(model.id, { name: "OTHER" })).toBe("NAME_TAKEN");
      expect((await fixture.read(deployment.id)).schemaId).toBe(schemas[0]);
    });
  });

  describe("DeleteModelOrDeployment", () => {
    it("deletes a deployment, then its model with all its schemas", async () => {
      const { model, deployment, schemas } = await threeVersions();
      expect(await getRefusal(remove(model.id))).toBe("HAS_DEPLOYMENTS");
      expect(await getRefusal(remove(schemas[0]))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      await remove(deployment.id);
      expect(await getRefusal(fixture.read(deployment.id))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      expect(await getRefusal(remove(deployment.id))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      await remove(model.id);
      for (const id of [model.id, ...schemas]) {
        expect(await getRefusal(fixture.read(id))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      }
      const stored = configurationModels(fixture.service.storage.connection);
      expect(await stored.schemas.countDocuments({ modelId: model.id })).toBe(0);
      expect((await fixture.createModel()).name).toBe(model.name);
    });

    it("reports schemas and objects of other organizations as not found, and objects in other projects as out of reach", async () => {
      const hidden = await fixture.createHidden();
      const model = await fixture.createModel();
      expect(await getRefusal(remove(model.id, fixture.outsider))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
      expect(await getRefusal(remove(hidden.id))).toBe("PROJECT_OUT_OF_REACH");
      expect(await getRefusal(remove(hidden.schemaId ?? ""))).toBe("DEPLOYMENT_NOT_FOUND deploymentId");
    });

    it("leaves no deployment without a model if one is created at the same time", async () => {
      for (let round = 0; round < 20; round += 1) {
        const model = await fixture.createModel({ ...invoice, name: `Raced ${round}` });
        const [made, removed] = await Promise.allSettled([fixture.deploy(model.id, "Main"), remove(model.id)]);
        expect([made.status, removed.status].sort()).toEqual(["fulfilled", "rejected"]);
        const { models, deployments } = configurationModels(fixture.service.storage.connection);
        const left = [
          await models.countDocuments({ _id: model.id }),
          await deployments.countDocuments({ modelId: model.id }),
        ];
        expect(left).toEqual(made.status === "fulfilled" ? [1, 1] : [0, 0]);
      }
    });

    it("keeps the last names for the resolution of targets", async () => {
      const { model, deployment } = await threeVersions();
      await change(deployment.id, { name: "Last of deployment" });
      await change(model.id, { name: "Last of model" });
      const resolve = async () => {
        const { targets } = await fixture.service.targets.resolveTargets({
          targets: [{ modelId: model.id, deploymentId: deployment.id }, { modelId: "mdl_none" }],
        });
        const named = targets.map((target) => [
          target.model?.name ?? target.deletedModelName,
          target.deployment?.name ?? target.deletedDeploymentName,
          target.model === undefined,
          target.deployment === undefined,
        ]);
        return [named[0], named[1]?.slice(0, 2)];
      };
      const names = ["Last of model", "Last of deployment"];
      expect(await resolve()).toEqual([
        [...names, false, false],
        ["", ""],
      ]);
      await remove(deployment.id);
      expect(await resolve()).toEqual([
        [...names, false, true],
        ["", ""],
      ]);
      await remove(model.id);
      expect(await resolve()).toEqual([
        [...names, true, true],
        ["", ""],
      ]);
    });
  });

  describe("ListConfigurationVersions", () => {
    it("lists versions newest first, by any ID of the model, with the deployments that serve them", async () => {
      const { model, deployment, schemas } = await threeVersions();
      const { versions: history, nextPageToken } = await versions(model.id);
      expect(nextPageToken).toBeUndefined();
      expect(history.map(({ schemaId }) => schemaId)).toEqual(schemas.toReversed());
      expect(history).toMatchObject([
        { version: 3, isCurrent: true, servedBy: [], tableCount: 2, columnCount: 5, createdBy: fixture.caller.userId },
        { version: 2, isCurrent: false, servedBy: [] },
        { version: 1, isCurrent: false, servedBy: [{ id: deployment.id, name: "Stable" }] },
      ]);
      for (const id of [deployment.id, schemas[1]]) expect((await versions(id)).versions).toEqual(history);
      const bare = await fixture.createModel({ name: "Bare" });
      expect((await versions(bare.id)).versions).toEqual([]);
    });

    it("returns pages, with tokens that are valid only for the model", async () => {
      const { model, schemas } = await threeVersions();
      const first = await versions(model.id, { limit: 2 });
      expect(first.versions.map(({ version }) => version)).toEqual([3, 2]);
      const rest = await versions(schemas[0], { limit: 2, pageToken: first.nextPageToken ?? "" });
      expect(rest.versions.map(({ version }) => version)).toEqual([1]);
      expect(rest.nextPageToken).toBeUndefined();
      const other = await fixture.createModel({ ...invoice, name: "Other" });
      expect(await getRefusal(versions(other.id, { pageToken: first.nextPageToken ?? "" }))).toBe(
        "INVALID_REQUEST pageToken",
      );
      expect(await getRefusal(versions(model.id, { limit: 0 }))).toBe("INVALID_REQUEST limit");
    });
  });

  describe("DiffConfigurations", () => {
    it("compares schemas by ID or version, by default with the current one of the path", async () => {
      const { model, deployment, schemas } = await threeVersions();
      const references = async (...parameters: Parameters<typeof diff>) => {
        const { from, to } = await diff(...parameters);
        return [from?.version, to?.version, to?.schemaId];
      };
      expect(await references(model.id, "1")).toEqual([1, 3, schemas[2]]);
      expect(await references(deployment.id, "3")).toEqual([3, 1, schemas[0]]);
      expect(await references(schemas[1], schemas[0])).toEqual([1, 2, schemas[1]]);
      expect(await references(model.id, "2", schemas[0])).toEqual([2, 1, schemas[0]]);
      expect((await diff(model.id, "1")).parts).toEqual(["instructions"]);
    });

    it("reports added, removed and changed columns, with the changed fields", async () => {
      const model = await fixture.createModel();
      await fixture.update(model.id, {
        columns: [
          { table: "invoice", slug: "number", name: "No.", isKey: true, required: true, synonyms: ["Nr"] },
          { table: "invoice", slug: "iban", name: "IBAN" },
          { table: "lines", slug: "item" },
        ],
      });
      const { parts, added, removed, changed } = await diff(model.id, "1", "2");
      expect(parts).toEqual(["columns"]);
      expect(added).toMatchObject([{ table: "invoice", slug: "iban", fields: [], after: { name: "IBAN" } }]);
      expect(added[0]?.before).toBeUndefined();
      expect(removed.map(({ table, slug }) => `${table}.${slug}`)).toEqual([
        "invoice.total",
        "lines.total",
        "invoice.kind",
      ]);
      expect(removed[0]?.after).toBeUndefined();
      expect(changed).toMatchObject([
        {
          table: "invoice",
          slug: "number",
          fields: ["sharedId", "name", "synonyms"],
          before: { sharedId: "doc_no", name: "Invoice number" },
          after: { name: "No.", synonyms: ["Nr"] },
        },
      ]);
      expect(await diff(model.id, "2", "2")).toMatchObject({ parts: [], added: [], removed: [], changed: [] });
    });

    it("requires schemas of this model", async () => {
      const { model } = await threeVersions();
      const other = await fixture.createModel({ ...invoice, name: "Other" });
      const bare = await fixture.createModel({ name: "Bare" });
      const refused = (...parameters: Parameters<typeof diff>) => getRefusal(diff(...parameters));
      expect(await refused(model.id, "")).toBe("INVALID_REQUEST from");
      expect(await refused(model.id, "4")).toBe("SCHEMA_NOT_FOUND from");
      expect(await refused(model.id, "1", "sch_none")).toBe("SCHEMA_NOT_FOUND to");
      expect(await refused(model.id, model.id)).toBe("SCHEMA_NOT_FOUND from");
      expect(await refused(model.id, other.schemaId ?? "")).toBe("SCHEMA_OF_ANOTHER_MODEL from");
      expect(await refused(bare.id, "1")).toBe("SCHEMA_NOT_FOUND from");
    });
  });

  it("needs the same number of queries for many models, versions and deployments as for few", async () => {
    const { configuration } = fixture.service;
    const first = await fixture.createModel();
    const one = await fixture.deploy(first.id, "D 0");
    const reads = () => [
      () => configuration.listModels({ projectId: fixture.projectId }, as(fixture.caller)),
      () => versions(first.id),
      () => fixture.read(one.id),
      () => diff(first.id, "1"),
    ];
    const few: number[] = [];
    for (const read of reads()) few.push(await fixture.countQueries(read));
    for (let index = 1; index <= 12; index += 1) {
      await fixture.createModel({ ...invoice, name: `Model ${index}` });
      await fixture.deploy(first.id, `D ${index}`);
      await fixture.update(first.id, { instructions: `v${index}` });
    }
    const many: number[] = [];
    for (const read of reads()) many.push(await fixture.countQueries(read));
    expect(few.every((count) => count > 0 && count <= 6)).toBe(true);
    expect(many).toEqual(few);
  });
}
