import { eventually } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { newId } from "@switchyard/storage";
import { configurationModels } from "../store/configuration-documents.ts";
import { createAdministration } from "../store/administration.ts";
import { createModelRemoval } from "../store/model-removal.ts";
import { as, getRefusal } from "../testing/test-service.ts";
import { invoice, useConfigurationFixture } from "../testing/configuration-fixture.ts";

/** The number of copies: more than one transaction removes. */
const copies = 320;

/** Tests the deletion of large projects and models, which needs several transactions, on the given server. */
export function removalSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useConfigurationFixture(provide);
  let modelId: string;
  let deploymentId: string;
  beforeEach(async () => {
    modelId = (await fixture.createModel()).id;
    deploymentId = (await fixture.deploy(modelId, "Main")).id;
  });

  /** Stores copies of the model and its deployment, and returns the IDs of the models. */
  async function copyModels(): Promise<string[]> {
    const { models, deployments } = configurationModels(fixture.service.storage.connection);
    const model = await models.findById(modelId).lean();
    const deployment = await deployments.findById(deploymentId).lean();
    const ids = Array.from({ length: copies }, () => newId("mdl"));
    await models.insertMany(ids.map((_id, n) => ({ ...model, _id, name: `Copy ${n}`, foldedName: `copy ${n}` })));
    await deployments.insertMany(ids.map((id) => ({ ...deployment, _id: newId("dep"), modelId: id })));
    return ids;
  }

  /** Stores further versions of the model's schema. */
  async function copySchemas(): Promise<void> {
    const { schemas } = configurationModels(fixture.service.storage.connection);
    const schema = await schemas.findOne({ modelId }).lean();
    const versions = Array.from({ length: copies }, (_, n) => ({ ...schema, _id: newId("sch"), version: n + 2 }));
    await schemas.insertMany(versions);
  }

  async function countContents(): Promise<Record<string, number>> {
    const { models, deployments, schemas } = configurationModels(fixture.service.storage.connection);
    return {
      models: await models.countDocuments({ projectId: fixture.projectId }),
      deployments: await deployments.countDocuments({ projectId: fixture.projectId }),
      schemas: await schemas.countDocuments({ projectId: fixture.projectId }),
      removals: await fixture.service.storage.connection.collection("removals").countDocuments({}),
    };
  }

  const nothing = { models: 0, deployments: 0, schemas: 0, removals: 0 };

  it("is complete when the deletion of a large project returns, and keeps all last names", async () => {
    const ids = await copyModels();
    await copySchemas();
    await fixture.service.identity.deleteProject({ projectId: fixture.projectId }, as(fixture.caller));
    expect(await countContents()).toEqual(nothing);
    const { targets } = await fixture.service.targets.resolveTargets({ targets: ids.map((id) => ({ modelId: id })) });
    expect(targets.map(({ deletedModelName }) => deletedModelName)).toEqual(ids.map((_, n) => `Copy ${n}`));
  });

  it("is complete when the deletion of a model with many schemas returns", async () => {
    await copySchemas();
    const { configuration } = fixture.service;
    await configuration.deleteModelOrDeployment({ targetId: deploymentId }, as(fixture.caller));
    await configuration.deleteModelOrDeployment({ targetId: modelId }, as(fixture.caller));
    expect(await countContents()).toEqual(nothing);
  });

  it("continues after an interruption, and hides what remains until then", async () => {
    const ids = await copyModels();
    const { storage, targets, configuration } = fixture.service;
    const administer = createAdministration(storage, createModelRemoval(storage));
    await administer(async (records) => {
      const project = await records.project(fixture.projectId);
      if (project !== null) await records.removeProject(project, fixture.later());
      return undefined;
    });
    const { models, removals } = await countContents();
    expect(models).toBeGreaterThan(0);
    expect(removals).toBe(1);
    const resolved = await targets.resolveTargets({
      targets: [...ids.map((id) => ({ modelId: id })), { modelId, deploymentId }],
    });
    expect(resolved.targets.map(({ model, deletedModelName }) => [model, deletedModelName])).toEqual([
      ...ids.map((_, n) => [undefined, `Copy ${n}`]),
      [undefined, invoice.name],
    ]);
    expect(resolved.targets.at(-1)).toMatchObject({ deletedDeploymentName: "Main" });
    expect(resolved.targets.at(-1)?.deployment).toBeUndefined();
    const { projectId } = fixture;
    expect(await getRefusal(configuration.listModels({ projectId }, as(fixture.caller)))).toBe(
      "PROJECT_NOT_FOUND projectId",
    );
    fixture.service.start();
    await eventually("nothing remains", async () => {
      const { removals: open, ...left } = await countContents();
      return open === 0 ? left : undefined;
    });
    expect(await countContents()).toEqual(nothing);
  });
}
