import { createRest } from "../rest.ts";
import type { Answer, Rest } from "../rest.ts";
import { startTestSystem } from "../system.ts";
import type { TestSystem } from "../system.ts";

/** Section 7 of the API: the audit trail over REST. */
describe("the audit trail", () => {
  let system: TestSystem;
  let admin: Rest;
  let me: any;

  beforeEach(async () => {
    system = await startTestSystem("one process");
    admin = createRest(system.url, system.token);
    me = (await admin.get("/api/v1/me")).body;
  }, 120_000);
  afterEach(() => system?.close());

  const entries = async (query = ""): Promise<any[]> => (await admin.get(`/api/v1/audit${query}`)).body.data;
  const remove = (path: string): Promise<Answer> => admin.send(path, { method: "DELETE" });

  it("has every change once, newest first, with who, what and which request", async () => {
    const user = (await admin.post("/api/v1/users", { name: "Grace" })).body;
    const answer = await admin.send("/api/v1/projects", {
      method: "POST",
      body: JSON.stringify({ name: "Payable" }),
      headers: { "content-type": "application/json", "x-request-id": "req-7" },
    });
    const project = answer.body;
    await admin.patch(`/api/v1/projects/${project.id}`, { name: "Paid" });
    await admin.patch(`/api/v1/projects/${project.id}`, { name: "Paid" });
    const team = (await admin.post("/api/v1/teams", { name: "Day" })).body;
    await admin.patch(`/api/v1/teams/${team.id}`, { userIds: [user.id] });
    await remove(`/api/v1/teams/${team.id}`);
    const request = { name: "T", scope: "PROJECT", projectId: project.id, permissions: ["classify"] };
    const token = (await admin.post("/api/v1/tokens", request)).body;
    const rotated = (await admin.post(`/api/v1/tokens/${token.id}:rotate`, { graceSeconds: 5 })).body;
    await remove(`/api/v1/tokens/${token.id}`);
    await remove(`/api/v1/tokens/${token.id}`);
    await remove(`/api/v1/projects/${project.id}`);
    // What was wrong changed nothing.
    await admin.post("/api/v1/users", { name: "" });

    const found = await entries();
    expect(found.map((entry) => [entry.action, entry.targetId])).toEqual([
      ["project.delete", project.id],
      ["token.revoke", token.id],
      ["token.rotate", token.id],
      ["token.create", token.id],
      ["team.delete", team.id],
      ["team.update", team.id],
      ["team.create", team.id],
      ["project.update", project.id],
      ["project.create", project.id],
      ["user.create", user.id],
    ]);
    for (const entry of found) {
      expect(entry).toMatchObject({ outcome: "DONE", tokenId: me.token.id, userId: me.user.id });
      expect(entry.id).toMatch(/^aud_/);
      expect(entry.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(entry.requestId).not.toBe("");
    }
    expect(Object.keys(found[0])).toEqual([
      "id",
      "at",
      "action",
      "outcome",
      "tokenId",
      "userId",
      "targetId",
      "requestId",
      "changes",
    ]);
    const changesOf = (action: string) => found.find((entry) => entry.action === action).changes;
    expect(changesOf("project.update")).toEqual({ name: { from: "Payable", to: "Paid" } });
    expect(changesOf("team.update")).toEqual({ userIds: { from: [], to: [user.id] } });
    expect(changesOf("token.create")).toMatchObject({ ...request, userId: me.user.id, expiresAt: null });
    expect(changesOf("token.rotate")).toEqual({ graceSeconds: 5 });
    const created = found.find((entry) => entry.action === "project.create");
    expect(created.requestId).toBe(answer.headers.get("x-request-id"));
    for (const { secret } of [token, rotated]) expect(JSON.stringify(found)).not.toContain(secret.slice(8));
  });

  it("has every refusal of an administrative call, and none of another kind", async () => {
    const weak = (
      await admin.post("/api/v1/tokens", { name: "W", scope: "ORGANIZATION", permissions: ["tokens:admin"] })
    ).body;
    const rest = createRest(system.url, weak.secret);
    const project = (await admin.post("/api/v1/projects", { name: "Payable" })).body;
    expect((await rest.post("/api/v1/projects", { name: "x" })).status).toBe(403);
    expect((await rest.send(`/api/v1/projects/${project.id}`, { method: "DELETE" })).status).toBe(403);
    expect((await rest.send(`/api/v1/tokens/${me.token.id}`, { method: "DELETE" })).status).toBe(403);
    const wide = { name: "x", scope: "ORGANIZATION", permissions: ["classify"] };
    expect((await rest.post("/api/v1/tokens", wide)).status).toBe(403);
    expect((await rest.get("/api/v1/users")).status).toBe(403);
    expect((await rest.post(`/api/v1/projects/${project.id}/deployments`, { name: "x" })).status).toBe(403);
    // Reading what anybody may try to read, and what is not there, is no administration.
    expect((await rest.get(`/api/v1/projects/${project.id}`)).status).toBe(403);
    expect((await rest.send("/api/v1/tokens/tok_none", { method: "DELETE" })).status).toBe(404);

    const refused = await entries(`?actorId=${weak.id}`);
    expect(refused.map(({ action, targetId, outcome }) => [action, targetId, outcome])).toEqual([
      ["model.create", project.id, "REFUSED"],
      ["users.list", null, "REFUSED"],
      ["token.create", null, "REFUSED"],
      ["token.revoke", me.token.id, "REFUSED"],
      ["project.delete", project.id, "REFUSED"],
      ["project.create", null, "REFUSED"],
    ]);
    expect(refused.map(({ changes }) => changes)).toEqual([
      { reason: "MISSING_PERMISSION", permission: "models:edit" },
      { reason: "MISSING_PERMISSION", permission: "organization:admin" },
      { reason: "PERMISSION_NOT_HELD", permission: "classify" },
      { reason: "TOKEN_OUT_OF_REACH" },
      { reason: "MISSING_PERMISSION", permission: "organization:admin" },
      { reason: "MISSING_PERMISSION", permission: "organization:admin" },
    ]);
  });

  it("has every change of models and deployments", async () => {
    const { id } = (await admin.post("/api/v1/projects", { name: "P" })).body;
    const tables = [{ slug: "invoice", isPrimary: true }];
    const request = { name: "M", tables, columns: [{ slug: "total" }] };
    const model = (await admin.post(`/api/v1/projects/${id}/deployments`, request)).body;
    const deployment = (await admin.post(`/api/v1/deployments/${model.id}/deployments`, { name: "D" })).body;
    await admin.post(`/api/v1/deployments/${deployment.id}:pause`);
    await admin.post(`/api/v1/deployments/${deployment.id}:resume`);
    await admin.patch(`/api/v1/deployments/${model.id}/configuration`, { instructions: "Short" });
    expect((await admin.post(`/api/v1/projects/${id}/deployments`, request)).status).toBe(409);
    const found = (await entries()).filter(({ action }) => action !== "project.create");
    expect(found.map(({ action, targetId, changes }) => [action, targetId, changes])).toEqual([
      ["configuration.update", model.id, { fields: "instructions" }],
      ["deployment.resume", deployment.id, {}],
      ["deployment.pause", deployment.id, {}],
      ["deployment.create", deployment.id, { name: "D" }],
      ["model.create", model.id, { name: "M" }],
    ]);
  });

  it("never has a secret, wherever somebody puts one", async () => {
    const secret = system.token;
    await admin.post("/api/v1/users", { name: `my token is ${secret}` });
    const weak = (
      await admin.post("/api/v1/tokens", { name: "W", scope: "ORGANIZATION", permissions: ["tokens:admin"] })
    ).body;
    const answer = await createRest(system.url, weak.secret).send(`/api/v1/projects/${secret}`, { method: "DELETE" });
    expect(answer.status).toBe(403);
    const [refusal, , named] = await entries();
    expect(refusal.targetId).toBe("[secret]");
    expect(named.changes).toEqual({ name: "my token is [secret]" });
  });

  it("is filtered and read page by page", async () => {
    const users = [];
    for (const name of ["A", "B", "C"]) users.push((await admin.post("/api/v1/users", { name })).body);
    const { id } = (await admin.post("/api/v1/projects", { name: "P" })).body;
    expect((await entries("?action=project.create")).map(({ targetId }) => targetId)).toEqual([id]);
    expect(await entries(`?targetId=${users[1].id}`)).toMatchObject([{ changes: { name: "B" } }]);
    expect(await entries(`?actorId=${me.user.id}`)).toHaveLength(4);
    expect(await entries(`?actorId=${me.token.id}&action=user.create`)).toHaveLength(3);
    expect(await entries("?actorId=tok_none")).toEqual([]);
    const [last, , middle] = await entries();
    expect(await entries(`?to=${middle.at}`)).toEqual((await entries()).filter(({ at }) => at < middle.at));
    expect(await entries(`?from=${last.at}`)).toEqual((await entries()).filter(({ at }) => at >= last.at));

    const pages = [];
    let query = "?action=user.create&limit=2";
    for (;;) {
      const { body } = await admin.get(`/api/v1/audit${query}`);
      pages.push(body.data.map(({ changes }: any) => changes.name));
      if (body.nextPageToken === null) break;
      query = `?action=user.create&limit=2&pageToken=${body.nextPageToken}`;
      expect((await admin.get(`/api/v1/audit?pageToken=${body.nextPageToken}`)).status).toBe(400);
    }
    expect(pages).toEqual([["C", "B"], ["A"]]);
    for (const wrong of [
      "from=yesterday",
      "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z",
      "actorId[$ne]=x",
      "limit=0",
    ]) {
      expect([wrong, (await admin.get(`/api/v1/audit?${wrong}`)).status]).toEqual([wrong, 400]);
    }
    const stranger = createRest(system.url, await system.anotherOrganization("Elsewhere"));
    expect((await stranger.get("/api/v1/audit")).body).toEqual({ data: [], nextPageToken: null });
  });
});
