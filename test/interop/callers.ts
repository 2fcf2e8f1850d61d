import { getBody } from "../specification/testing/office.ts";
import { invoiceText } from "../specification/testing/sample-world.ts";
import type { SampleWorld } from "../specification/testing/sample-world.ts";

/** Tokens with less access than the first one, and resources that are out of their reach. */
export interface Callers {
  /** The secret of an organization token with access to another project only. */
  readonly elsewhere: string;
  /** The secret of a token of the world's project. */
  readonly ofProject: string;
  /** The secrets of tokens with access to the world's project that may only read models, or only classify. */
  readonly reading: string;
  readonly classifying: string;
  /** The ID of a team with access to both projects, and of a token of it. */
  readonly everywhere: string;
  readonly ofEverywhere: string;
  readonly revoked: string;
  /** The ID of a token with the maximum number of earlier secrets. */
  readonly rotated: string;
  /** A model without a schema in the world's project. */
  readonly bare: string;
  /** A global classifier without routes. */
  readonly empty: string;
  /** A global classifier that routes into both projects, a record of it in the world's project, and the other project with its model. */
  readonly wide: { classifier: string; classification: string; projectId: string; model: string };
}

/** Creates these tokens and resources in the organization of a sample world. */
export async function createCallers({ rest, create, ...world }: SampleWorld): Promise<Callers> {
  const { id: projectId } = await create("/api/v1/projects", { name: "Elsewhere" });
  const tables = [{ slug: "lease", isPrimary: true }];
  const columns = [{ slug: "landlord", name: "Landlord" }];
  const models = `/api/v1/projects/${projectId}/deployments`;
  const { id: model } = await create(models, { name: "Leases", tables, columns });
  const bare = await create(`/api/v1/projects/${world.projectId}/deployments`, { name: "Bare" });

  const { user } = await getBody(rest.get("/api/v1/me"), 200);
  const team = async (...projectIds: string[]): Promise<string> =>
    (await create("/api/v1/teams", { name: "Some", projectIds, userIds: [user.id] })).id;
  const token = (fields: object): Promise<any> => create("/api/v1/tokens", { name: "Less", ...fields });
  const permissions = ["models:read", "models:edit", "classify", "documents:read", "tokens:admin"];
  const everywhere = await team(projectId, world.projectId);
  const near = { scope: "ORGANIZATION", teamIds: [await team(projectId)], permissions };
  const ofEverywhere = await token({ scope: "ORGANIZATION", teamIds: [everywhere], permissions: ["models:read"] });
  const ofProject = await token({ scope: "PROJECT", projectId: world.projectId, permissions });
  const only = async (permission: string): Promise<string> =>
    (await token({ scope: "PROJECT", projectId: world.projectId, permissions: [permission] })).secret;
  const revoked = await token({ scope: "PROJECT", projectId, permissions });
  await getBody(rest.send(`/api/v1/tokens/${revoked.id}`, { method: "DELETE" }), 204);
  const rotated = await token({ scope: "PROJECT", projectId, permissions });
  for (let rotation = 0; rotation < 5; rotation += 1)
    await create(`/api/v1/tokens/${rotated.id}:rotate`, { graceSeconds: 86_400 });

  const global = async (name: string, targets: readonly string[]): Promise<string> => {
    const { id } = await create("/api/v1/classify", { projectId: world.projectId, name });
    await getBody(rest.post(`/api/v1/classify/${id}:makeGlobal`), 200);
    for (const deploymentId of targets) await create(`/api/v1/classify/${id}/routes`, { deploymentId });
    return id;
  };
  const wide = await global("Wide", [world.invoices, model]);
  const record = await create(`/api/v1/classify/${wide}`, { text: invoiceText, extract: false });
  if (record.projectId !== world.projectId) throw new Error(`routed elsewhere: ${JSON.stringify(record)}`);
  return {
    elsewhere: (await token(near)).secret,
    ofProject: ofProject.secret,
    reading: await only("models:read"),
    classifying: await only("classify"),
    everywhere,
    ofEverywhere: ofEverywhere.id,
    revoked: revoked.id,
    rotated: rotated.id,
    bare: bare.id,
    empty: await global("Empty", []),
    wide: { classifier: wide, classification: record.id, projectId, model },
  };
}
