import { createRest } from "../rest.ts";
import { givenSampleWorld } from "../specification/testing/sample-world.ts";

/** The names of fields in Connect's JSON codec, the default of connect-web; parity.test.ts compares all responses with other protocols. */
describe("Connect's JSON codec", () => {
  const given = givenSampleWorld("shared");

  it("never confuses the model of a route with its deployment, whichever field names a client uses", async () => {
    const { world } = given;
    const rest = createRest(given.system.url, given.system.token);
    const ask = async (method: string, body: object) =>
      (await rest.post(`/switchyard.classifier.v1.ClassifierService/${method}`, body)).body;
    const { projectId, invoices, deployment } = world;
    const { id: classifierId } = await ask("CreateClassifier", { projectId, name: world.newName() });
    const toModel = await ask("AddRoute", { classifier_id: classifierId, model_id: invoices });
    const names = { classifier_id: classifierId, model_id: invoices, target_deployment_id: deployment };
    const toDeployment = await ask("AddRoute", names);
    expect(toModel).toMatchObject({ deploymentId: invoices, deployment: { id: invoices } });
    expect(Object.keys(toModel)).not.toContain("targetDeploymentId");
    const pinned = { deploymentId: invoices, targetDeploymentId: deployment, targetDeployment: { id: deployment } };
    expect(toDeployment).toMatchObject(pinned);
    const route = { classifierId, routeId: toDeployment.id };
    const wrong = await ask("UpdateRoute", { ...route, updateMask: "deploymentId" });
    expect(wrong).toMatchObject({ code: "invalid_argument" });
    await ask("DeleteRoute", { classifierId, routeId: toModel.id });
    const cleared = await ask("UpdateRoute", { ...route, updateMask: "targetDeploymentId" });
    expect(Object.keys(cleared)).not.toContain("targetDeploymentId");
    expect(await ask("UpdateRoute", { ...route, targetDeploymentId: deployment })).toMatchObject(pinned);
  });
});
