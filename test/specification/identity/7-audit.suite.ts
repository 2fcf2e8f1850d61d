import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { createOffice } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { change, givenTrail } from "../testing/audit-trail.ts";
import type { Where } from "../testing/office.ts";

/** Section 7 of the API: the audit trail over REST. */
export function auditSuite(where: Where): void {
  const given = givenTrail(where);
  const { everything, entries, remove } = given;
  let system: TestSystem;
  let token: string;
  let admin: Rest;
  let me: any;
  beforeEach(() => ({ system, token, admin, me } = given));

  it("has every change once, newest first, with actor, target and request", async () => {
    const user = (await admin.post("/api/v1/users", { name: "Grace" })).body;
    const response = await admin.send("/api/v1/projects", {
      method: "POST",
      body: JSON.stringify({ name: "Payable" }),
      headers: { "content-type": "application/json", "x-request-id": "req-7" },
    });
    const project = response.body;
    await admin.patch(`/api/v1/projects/${project.id}`, { name: "Paid" });
    await admin.patch(`/api/v1/projects/${project.id}`, { name: "Paid" });
    const team = (await admin.post("/api/v1/teams", { name: "Day" })).body;
    await admin.patch(`/api/v1/teams/${team.id}`, { userIds: [user.id] });
    await remove(`/api/v1/teams/${team.id}`);
    const request = { name: "T", scope: "PROJECT", projectId: project.id, permissions: ["classify"] };
    const issued = (await admin.post("/api/v1/tokens", request)).body;
    const rotated = (await admin.post(`/api/v1/tokens/${issued.id}:rotate`, { graceSeconds: 5 })).body;
    await remove(`/api/v1/tokens/${issued.id}`);
    await remove(`/api/v1/tokens/${issued.id}`);
    await remove(`/api/v1/projects/${project.id}`);
    // Invalid requests changed nothing.
    await admin.post("/api/v1/users", { name: "" });

    const found = await entries();
    expect(found.map((entry) => [entry.action, entry.targetId])).toEqual([
      ["project.delete", project.id],
      ["token.revoke", issued.id],
      ["token.rotate", issued.id],
      ["token.create", issued.id],
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
    const getChanges = (action: string) => found.find((entry) => entry.action === action).changes;
    expect(getChanges("project.update")).toEqual({ name: { from: "Payable", to: "Paid" } });
    expect(getChanges("team.update")).toEqual({ userIds: { from: [], to: [user.id] } });
    expect(getChanges("token.create")).toMatchObject({ ...request, userId: me.user.id, expiresAt: null });
    expect(getChanges("token.rotate")).toEqual({ graceSeconds: 5 });
    const created = found.find((entry) => entry.action === "project.create");
    expect(created.requestId).toBe(response.headers.get("x-request-id"));
    for (const { secret } of [issued, rotated]) expect(JSON.stringify(found)).not.toContain(secret.slice(8));
  });

  it("has every refused administrative call, and no other errors", async () => {
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
    // Reading, and requests for resources that do not exist, are not administrative.
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

  it("has the first use of a token once, with its request", async () => {
    const issued = (await admin.post("/api/v1/tokens", { name: "T", scope: "ORGANIZATION", permissions: ["classify"] }))
      .body;
    const rest = createRest(system.url, issued.secret);
    const headers = { "x-request-id": "req-first" };
    await Promise.all(Array.from({ length: 5 }, () => rest.send("/api/v1/me", { headers })));
    await rest.get("/api/v1/me");
    expect(await everything(`?targetId=${issued.id}`)).toMatchObject([
      {
        action: "token.firstUse",
        outcome: "DONE",
        tokenId: issued.id,
        userId: me.user.id,
        requestId: "req-first",
        changes: { name: "T" },
      },
      { action: "token.create", tokenId: me.token.id },
    ]);
    expect(await everything("?action=token.firstUse")).toHaveLength(2);
  });

  it("has every change of models and deployments, and no entry if nothing changed", async () => {
    const { id } = (await admin.post("/api/v1/projects", { name: "P" })).body;
    const tables = [{ slug: "invoice", isPrimary: true }];
    const request = { name: "M", tables, columns: [{ slug: "total" }] };
    const model = (await admin.post(`/api/v1/projects/${id}/deployments`, request)).body;
    const before = model.extractionSchemaId;
    const path = `/api/v1/deployments/${model.id}`;
    const deployment = (await admin.post(`${path}/deployments`, { name: "D" })).body;
    for (const verb of ["pause", "pause", "resume", "resume"]) {
      await admin.post(`/api/v1/deployments/${deployment.id}:${verb}`);
    }
    await admin.patch(`${path}/configuration`, { instructions: "Short" });
    const after = (await admin.patch(`${path}/configuration`, { instructions: "Short" })).body.extractionSchemaId;
    for (const body of [
      {},
      { name: "E" },
      { name: "E" },
      { extractionSchemaId: after },
      { extractionSchemaId: after },
    ]) {
      await admin.patch(`/api/v1/deployments/${deployment.id}`, body);
    }
    expect((await admin.post(`/api/v1/projects/${id}/deployments`, request)).status).toBe(409);
    expect((await remove(path)).status).toBe(409);
    await remove(`/api/v1/deployments/${deployment.id}`);
    await remove(path);
    const found = (await entries()).filter(({ action }) => action !== "project.create").toReversed();
    expect(found.map(({ action, targetId, changes }) => [action, targetId, changes])).toEqual([
      ["model.create", model.id, { name: "M", projectId: id, extractionSchemaId: before }],
      ["deployment.create", deployment.id, { name: "D", deploymentId: model.id, extractionSchemaId: before }],
      ["deployment.pause", deployment.id, { status: change("ACTIVE", "PAUSED") }],
      ["deployment.resume", deployment.id, { status: change("PAUSED", "ACTIVE") }],
      [
        "configuration.update",
        model.id,
        { version: change(1, 2), extractionSchemaId: change(before, after), instructions: change("", "Short") },
      ],
      ["deployment.update", deployment.id, { name: change("D", "E") }],
      ["deployment.update", deployment.id, { extractionSchemaId: change(before, after) }],
      ["deployment.delete", deployment.id, { name: "E", projectId: id }],
      ["deployment.delete", model.id, { name: "M", projectId: id }],
    ]);
    expect(found.map(({ outcome }) => outcome)).toEqual(found.map(() => "DONE"));
  });

  it("has the refusals of every service over every protocol, and none for reading or classifying documents", async () => {
    const office = await createOffice(admin, "Payable");
    const { classifier } = office;
    const weak = (
      await admin.post("/api/v1/tokens", { name: "W", scope: "ORGANIZATION", permissions: ["tokens:admin"] })
    ).body;
    const narrow = (
      await admin.post("/api/v1/tokens", {
        name: "N",
        scope: "ORGANIZATION",
        permissions: ["models:edit", "documents:read", "documents:write", "classify"],
      })
    ).body;
    const rest = createRest(system.url, weak.secret);
    const routes = `/api/v1/classify/${classifier}/routes`;
    const files = `/api/v1/projects/${office.projectId}/files`;
    const route = { deploymentId: office.receipts };
    const outOfReach = createRest(system.url, narrow.secret);
    const statuses = [
      await rest.post("/api/v1/classify", { projectId: office.projectId, name: "x" }),
      await rest.post(routes, route),
      await rest.post(`/api/v1/classify/${classifier}:makeGlobal`),
      await outOfReach.post(routes, route),
      await outOfReach.upload(files, "a.txt", new TextEncoder().encode("text")),
      // The following requests are not administrative.
      await rest.get(`/api/v1/classify/${classifier}`),
      await rest.get(files),
      await rest.post(`/api/v1/classify/${classifier}`, { text: "Invoice" }),
    ].map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 403));
    for (const transport of [
      createConnectTransport({ baseUrl: system.url, httpVersion: "1.1" }),
      createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` }),
    ]) {
      const client = createClient(ClassifierService, transport);
      const headers = { authorization: `Bearer ${weak.secret}` };
      const error: unknown = await client
        .makeGlobal({ classifierId: classifier }, { headers })
        .catch((e: unknown) => e);
      expect(ConnectError.from(error).code).toBe(Code.PermissionDenied);
    }
    const lacking = { reason: "MISSING_PERMISSION", permission: "organization:models:edit" };
    const madeGlobal = ["classifier.makeGlobal", classifier, weak.id, lacking];
    const refused = (await entries()).filter(({ outcome }) => outcome === "REFUSED");
    expect(
      refused.toReversed().map(({ action, targetId, tokenId, changes }) => [action, targetId, tokenId, changes]),
    ).toEqual([
      ["classifier.create", office.projectId, weak.id, { reason: "MISSING_PERMISSION", permission: "models:edit" }],
      ["route.add", classifier, weak.id, { reason: "MISSING_PERMISSION", permission: "models:edit" }],
      madeGlobal,
      ["route.add", classifier, narrow.id, { reason: "CLASSIFIER_OUT_OF_REACH" }],
      ["file.upload", office.projectId, narrow.id, { reason: "PROJECT_OUT_OF_REACH" }],
      madeGlobal,
      madeGlobal,
    ]);
  });

  it("never has a secret, wherever a request contains it", async () => {
    await admin.post("/api/v1/users", { name: `my token is ${token}` });
    const weak = (
      await admin.post("/api/v1/tokens", { name: "W", scope: "ORGANIZATION", permissions: ["tokens:admin"] })
    ).body;
    const response = await createRest(system.url, weak.secret).send(`/api/v1/projects/${token}`, { method: "DELETE" });
    expect(response.status).toBe(403);
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
    const outsider = createRest(system.url, await system.anotherOrganization("Elsewhere"));
    const foreign = (await outsider.get("/api/v1/audit")).body;
    expect([foreign.data.map(({ action }: any) => action), foreign.nextPageToken]).toEqual([["token.firstUse"], null]);
  });
}
