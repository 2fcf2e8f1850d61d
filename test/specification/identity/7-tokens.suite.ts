import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import type { Where } from "../testing/office.ts";
import {
  created,
  everything,
  expectProblem,
  givenIdentity,
  remove,
  tokenKeys,
  untilStatus,
} from "./testing/identity-fixture.ts";

/** Section 7 of the API: issuing, listing and revoking tokens over REST. */
export function tokenSuite(where: Where): void {
  const given = givenIdentity(where);
  const { createOrganizationToken, createProject, createProjectToken, getRest } = given;
  let system: TestSystem;
  let admin: Rest;
  let outsider: Rest;
  let teamId: string;
  let userId: string;
  beforeAll(() => ({ system, admin, outsider, teamId, userId } = given));

  it("are issued with a secret that only this response contains", async () => {
    const { id } = await createProject("Payable");
    const response = await admin.post("/api/v1/tokens", {
      name: " Reader ",
      scope: "PROJECT",
      projectId: id,
      permissions: ["models:read", "documents:read", "models:read"],
      expiresAt: "2099-01-01T00:00:00.000Z",
    });
    expect(response.status).toBe(201);
    expect(Object.keys(response.body)).toEqual([...tokenKeys, "secret"]);
    const { secret, ...token } = response.body;
    expect(token).toMatchObject({
      name: "Reader",
      scope: "PROJECT",
      projectId: id,
      teamIds: [],
      permissions: ["documents:read", "models:read"],
      createdBy: userId,
      expiresAt: "2099-01-01T00:00:00.000Z",
      lastUsedAt: null,
      prefix: secret.slice(0, 8),
      status: "ACTIVE",
    });
    const list = await admin.get("/api/v1/tokens");
    expect(list.body.data[0]).toEqual(token);
    expect(list.text).not.toContain(secret);
    const me = await createRest(system.url, secret).get("/api/v1/me");
    expect(me.body.token).toMatchObject({ id: token.id, scope: "PROJECT", projectId: id });
    expect(me.body.token.lastUsedAt).not.toBeNull();
  });

  it("are 400 with every fault if the request is invalid", async () => {
    const { id } = await createProject("Payable");
    const organization = { name: "x", scope: "ORGANIZATION", permissions: ["classify"] };
    const cases: [object, string[]][] = [
      [{}, ["name", "scope", "permissions"]],
      [{ ...organization, permissions: ["classify", "everything"] }, ["permissions[1]"]],
      [{ ...organization, projectId: id }, ["projectId"]],
      [{ ...organization, expiresAt: "2020-01-01T00:00:00Z" }, ["expiresAt"]],
      [{ name: "x", scope: "PROJECT", permissions: ["classify"] }, ["projectId"]],
      [{ ...organization, scope: "PROJECT", projectId: id, teamIds: [teamId] }, ["teamIds"]],
      ...["organization:admin", "organization:models:edit"].map((permission): [object, string[]] => [
        { ...organization, scope: "PROJECT", projectId: id, permissions: [permission] },
        ["permissions[0]"],
      ]),
      [{ ...organization, id: "tok_1" }, ["id"]],
      [{ ...organization, name: { $ne: null } }, ["name"]],
    ];
    for (const [body, fields] of cases) {
      const response = await admin.post("/api/v1/tokens", body);
      expectProblem(response, 400, "INVALID_REQUEST");
      expect([body, response.body.errors.map((error: any) => error.field)]).toEqual([body, fields]);
    }
  });

  it("never have more rights than the token of their issuer", async () => {
    const [inReach, outOfReach] = [await createProject("In reach"), await createProject("Out of reach")];
    const narrow = await created(
      admin.post("/api/v1/teams", { name: "Narrow", projectIds: [inReach.id], userIds: [userId] }),
    );
    const minter = getRest(await createOrganizationToken(["tokens:admin", "classify"], [narrow.id]));
    const ofProject = getRest(await createProjectToken(inReach.id, ["tokens:admin", "classify"]));
    const mint = (rest: Rest, fields: object) =>
      rest.post("/api/v1/tokens", { name: "x", scope: "PROJECT", permissions: ["classify"], ...fields });
    expectProblem(
      await mint(minter, { projectId: inReach.id, permissions: ["models:read"] }),
      403,
      "PERMISSION_NOT_HELD",
    );
    expectProblem(await mint(minter, { projectId: outOfReach.id }), 403, "PROJECT_OUT_OF_REACH");
    expectProblem(await mint(minter, { projectId: "prj_none" }), 404, "PROJECT_NOT_FOUND", "projectId");
    const wide = { scope: "ORGANIZATION", teamIds: [narrow.id, teamId] };
    expectProblem(await mint(minter, wide), 403, "TEAM_OUT_OF_REACH");
    expectProblem(await mint(minter, { ...wide, teamIds: ["team_none"] }), 404, "TEAM_NOT_FOUND", "teamIds[0]");
    expectProblem(await mint(ofProject, { scope: "ORGANIZATION" }), 403, "SCOPE_NOT_HELD");
    expectProblem(await mint(ofProject, { projectId: outOfReach.id }), 403, "PROJECT_OUT_OF_REACH");
    expect((await mint(minter, { scope: "ORGANIZATION", teamIds: [narrow.id] })).status).toBe(201);
    expect((await mint(minter, { projectId: inReach.id })).status).toBe(201);
    expect((await mint(ofProject, { projectId: inReach.id })).status).toBe(201);
    const reader = getRest(await createOrganizationToken(["documents:read"]));
    expectProblem(await mint(reader, { projectId: inReach.id }), 403, "MISSING_PERMISSION");
    // Resources of other organizations do not exist for the caller.
    const foreign = await created(outsider.post("/api/v1/projects", { name: "Theirs" }));
    expectProblem(await mint(admin, { projectId: foreign.id }), 404, "PROJECT_NOT_FOUND");
  });

  it("are issued to other users by administrators of the organization only", async () => {
    const grace = await created(admin.post("/api/v1/users", { name: "Grace" }));
    const { id } = await createProject("Shared");
    const fields = { name: "x", scope: "PROJECT", projectId: id, permissions: ["classify"], userId: grace.id };
    const ofOtherUser = await created(admin.post("/api/v1/tokens", fields));
    expect((await getRest(ofOtherUser).get("/api/v1/me")).body.user).toEqual({ id: grace.id, name: "Grace" });
    expect([ofOtherUser.userId, ofOtherUser.createdBy]).toEqual([grace.id, userId]);
    const minter = getRest(await createOrganizationToken(["tokens:admin", "classify"]));
    expectProblem(await minter.post("/api/v1/tokens", fields), 403, "USER_OUT_OF_REACH");
    expectProblem(
      await minter.post("/api/v1/tokens", { ...fields, userId: "usr_none" }),
      404,
      "USER_NOT_FOUND",
      "userId",
    );
  });

  it("are listed page by page, newest first, as far as the caller has access", async () => {
    const { id } = await createProject("Own");
    const mine = await createProjectToken(id, ["tokens:admin"]);
    const other = await createProjectToken(id, ["documents:read"]);
    await createOrganizationToken(["classify"]);
    const rest = getRest(mine);
    const page = await rest.get("/api/v1/tokens?limit=1");
    expect(page.body.data.map((token: any) => token.id)).toEqual([other.id]);
    const next = await rest.get(`/api/v1/tokens?limit=1&pageToken=${page.body.nextPageToken}`);
    expect(next.body).toMatchObject({ data: [{ id: mine.id }], nextPageToken: null });
    expectProblem(await rest.get("/api/v1/tokens?limit=501"), 400, "INVALID_REQUEST", "limit");
    expectProblem(await rest.get("/api/v1/tokens?pageToken=x"), 400, "INVALID_REQUEST", "pageToken");
    const theirs = (await outsider.get("/api/v1/tokens")).body.data;
    expect(theirs.map((token: any) => token.name)).toEqual(["Everything"]);
  });

  it("are refused at once by the gateway that revoked them, and cannot issue tokens any more", async () => {
    const token = await createOrganizationToken(everything);
    const rest = getRest(token);
    expect((await rest.get("/api/v1/projects")).status).toBe(200);
    expect((await remove(admin, `/api/v1/tokens/${token.id}`)).status).toBe(204);
    expectProblem(await rest.get("/api/v1/projects"), 401, "TOKEN_INVALID");
    const late = { name: "late", scope: "ORGANIZATION", permissions: ["classify"] };
    expectProblem(await rest.post("/api/v1/tokens", late), 401, "TOKEN_INVALID");
    expect((await remove(admin, `/api/v1/tokens/${token.id}`)).status).toBe(204);
    const { data } = (await admin.get("/api/v1/tokens")).body;
    expect(data.find(({ id }: any) => id === token.id).status).toBe("REVOKED");
  });

  it("are refused by other gateways within 2 s of being revoked, or of losing a project", async () => {
    const project = await createProject("Lost");
    const team = await created(
      admin.post("/api/v1/teams", { name: "Losers", projectIds: [project.id], userIds: [userId] }),
    );
    const [revoked, narrowed] = [
      await createOrganizationToken(["models:read"]),
      await createOrganizationToken(["models:read"], [team.id]),
    ];
    const replica = await system.replica();
    try {
      const ask = ({ secret }: { secret: string }) =>
        createRest(replica.url, secret).get(`/api/v1/projects/${project.id}`);
      for (const token of [revoked, narrowed]) expect((await ask(token)).status).toBe(200);
      expect((await remove(admin, `/api/v1/tokens/${revoked.id}`)).status).toBe(204);
      expect((await admin.patch(`/api/v1/teams/${team.id}`, { projectIds: [] })).status).toBe(200);
      const waited = [untilStatus(() => ask(revoked), 401), untilStatus(() => ask(narrowed), 403)];
      for (const elapsed of await Promise.all(waited)) expect(elapsed).toBeLessThan(2000);
    } finally {
      await replica.close();
    }
  });

  it("of the last administrator are 409 to revoke, even by themselves", async () => {
    const rest = createRest(system.url, await system.anotherOrganization("One administrator"));
    const { id } = (await rest.get("/api/v1/me")).body.token;
    expectProblem(await remove(rest, `/api/v1/tokens/${id}`), 409, "LAST_ADMINISTRATOR");
    const permissions = ["tokens:admin", "organization:admin"];
    await created(rest.post("/api/v1/tokens", { name: "Successor", scope: "ORGANIZATION", permissions }));
    expect((await remove(rest, `/api/v1/tokens/${id}`)).status).toBe(204);
  });

  it("of another organization or unknown ones are 404, those without access 403", async () => {
    const { id } = await createProject("Narrow");
    const narrow = getRest(await createProjectToken(id, ["tokens:admin"]));
    const wide = await createOrganizationToken(["classify"]);
    const requests = (rest: Rest, tokenId: string) => [
      remove(rest, `/api/v1/tokens/${tokenId}`),
      rest.post(`/api/v1/tokens/${tokenId}:rotate`, { graceSeconds: 0 }),
    ];
    for (const request of requests(narrow, wide.id)) expectProblem(await request, 403, "TOKEN_OUT_OF_REACH");
    for (const request of [...requests(outsider, wide.id), ...requests(admin, "tok_none")]) {
      expectProblem(await request, 404, "TOKEN_NOT_FOUND", "tokenId");
    }
    expect((await getRest(wide).get("/api/v1/me")).status).toBe(200);
  });
}
