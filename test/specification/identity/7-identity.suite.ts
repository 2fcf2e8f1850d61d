import { createRest } from "../../rest.ts";
import type { Answer, Rest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { givenSystem } from "../testing/office.ts";
import type { Where } from "../testing/office.ts";

const everything = [
  "documents:read",
  "documents:write",
  "classify",
  "models:read",
  "models:edit",
  "benchmarks:read",
  "benchmarks:run",
  "tokens:admin",
  "organization:models:edit",
  "organization:admin",
];
const tokenKeys = [
  "id",
  "name",
  "scope",
  "projectId",
  "teamIds",
  "permissions",
  "createdBy",
  "createdAt",
  "expiresAt",
  "lastUsedAt",
  "prefix",
  "status",
  "userId",
];

/** Section 7 of the API: projects, teams, users and tokens over REST. */
export function identitySuite(where: Where): void {
  const given = givenSystem(where);
  let system: TestSystem;
  let admin: Rest;
  /** An administrator of another organization. */
  let stranger: Rest;
  let teamId: string;
  let userId: string;

  beforeAll(async () => {
    system = given.system;
    admin = createRest(system.url, system.token);
    stranger = createRest(system.url, await system.anotherOrganization("Elsewhere"));
    const { body } = await admin.get("/api/v1/me");
    teamId = body.token.teamIds[0];
    userId = body.user.id;
  }, 120_000);

  const remove = (rest: Rest, path: string): Promise<Answer> => rest.send(path, { method: "DELETE" });
  const getRest = (token: { secret: string }): Rest => createRest(system.url, token.secret);

  async function created(answer: Promise<Answer>): Promise<any> {
    const { status, body, text } = await answer;
    if (status !== 201) throw new Error(`${status} ${text}`);
    return body;
  }
  const project = (name: string, teamIds: string[] = []): Promise<any> =>
    created(admin.post("/api/v1/projects", { name, teamIds }));
  const organizationToken = (permissions: string[], teamIds: string[] = [teamId]): Promise<any> =>
    created(admin.post("/api/v1/tokens", { name: "Ours", scope: "ORGANIZATION", teamIds, permissions }));
  const projectToken = (projectId: string, permissions: string[]): Promise<any> =>
    created(admin.post("/api/v1/tokens", { name: "Its", scope: "PROJECT", projectId, permissions }));

  function expectProblem(answer: Answer, status: number, code: string, field?: string): void {
    expect({ status: answer.status, code: answer.body?.code, text: answer.text }).toMatchObject({ status, code });
    if (field !== undefined) expect(answer.body.errors.map((error: any) => error.field)).toContain(field);
  }

  /** Asks until the status is this one; answers how long that took, in milliseconds. */
  async function untilStatus(ask: () => Promise<Answer>, status: number): Promise<number> {
    const begin = performance.now();
    for (;;) {
      const answer = await ask();
      const elapsed = performance.now() - begin;
      if (answer.status === status) return elapsed;
      if (elapsed > 60_000) throw new Error(`still ${answer.status} after a minute`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  describe("tokens", () => {
    it("are issued with a secret that only this answer tells", async () => {
      const { id } = await project("Payable");
      const answer = await admin.post("/api/v1/tokens", {
        name: " Reader ",
        scope: "PROJECT",
        projectId: id,
        permissions: ["models:read", "documents:read", "models:read"],
        expiresAt: "2099-01-01T00:00:00.000Z",
      });
      expect(answer.status).toBe(201);
      expect(Object.keys(answer.body)).toEqual([...tokenKeys, "secret"]);
      const { secret, ...token } = answer.body;
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

    it("are 400 where they are wrong by themselves, with every fault named", async () => {
      const { id } = await project("Payable");
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
        const answer = await admin.post("/api/v1/tokens", body);
        expectProblem(answer, 400, "INVALID_REQUEST");
        expect([body, answer.body.errors.map((error: any) => error.field)]).toEqual([body, fields]);
      }
    });

    it("never go beyond those of their issuer", async () => {
      const [inReach, outOfReach] = [await project("In reach"), await project("Out of reach")];
      const narrow = await created(
        admin.post("/api/v1/teams", { name: "Narrow", projectIds: [inReach.id], userIds: [userId] }),
      );
      const minter = getRest(await organizationToken(["tokens:admin", "classify"], [narrow.id]));
      const ofProject = getRest(await projectToken(inReach.id, ["tokens:admin", "classify"]));
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
      const reader = getRest(await organizationToken(["documents:read"]));
      expectProblem(await mint(reader, { projectId: inReach.id }), 403, "MISSING_PERMISSION");
      // What another organization has is not there.
      const foreign = await created(stranger.post("/api/v1/projects", { name: "Theirs" }));
      expectProblem(await mint(admin, { projectId: foreign.id }), 404, "PROJECT_NOT_FOUND");
    });

    it("are issued to other users by administrators of the organization only", async () => {
      const grace = await created(admin.post("/api/v1/users", { name: "Grace" }));
      const { id } = await project("Shared");
      const fields = { name: "x", scope: "PROJECT", projectId: id, permissions: ["classify"], userId: grace.id };
      const hers = await created(admin.post("/api/v1/tokens", fields));
      expect((await getRest(hers).get("/api/v1/me")).body.user).toEqual({ id: grace.id, name: "Grace" });
      expect([hers.userId, hers.createdBy]).toEqual([grace.id, userId]);
      const minter = getRest(await organizationToken(["tokens:admin", "classify"]));
      expectProblem(await minter.post("/api/v1/tokens", fields), 403, "USER_OUT_OF_REACH");
      expectProblem(
        await minter.post("/api/v1/tokens", { ...fields, userId: "usr_none" }),
        404,
        "USER_NOT_FOUND",
        "userId",
      );
    });

    it("are listed page by page, newest first, as far as they are in reach", async () => {
      const { id } = await project("Own");
      const mine = await projectToken(id, ["tokens:admin"]);
      const other = await projectToken(id, ["documents:read"]);
      await organizationToken(["classify"]);
      const rest = getRest(mine);
      const page = await rest.get("/api/v1/tokens?limit=1");
      expect(page.body.data.map((token: any) => token.id)).toEqual([other.id]);
      const next = await rest.get(`/api/v1/tokens?limit=1&pageToken=${page.body.nextPageToken}`);
      expect(next.body).toMatchObject({ data: [{ id: mine.id }], nextPageToken: null });
      expectProblem(await rest.get("/api/v1/tokens?limit=501"), 400, "INVALID_REQUEST", "limit");
      expectProblem(await rest.get("/api/v1/tokens?pageToken=x"), 400, "INVALID_REQUEST", "pageToken");
      const theirs = (await stranger.get("/api/v1/tokens")).body.data;
      expect(theirs.map((token: any) => token.name)).toEqual(["Everything"]);
    });

    it("are refused everywhere within 2 s of being revoked, and leave no token behind", async () => {
      const token = await organizationToken(everything);
      const rest = getRest(token);
      expect((await rest.get("/api/v1/projects")).status).toBe(200);
      expect((await remove(admin, `/api/v1/tokens/${token.id}`)).status).toBe(204);
      // Remembered for up to a second by the gateway, but never to issue another one.
      const late = { name: "late", scope: "ORGANIZATION", permissions: ["classify"] };
      expectProblem(await rest.post("/api/v1/tokens", late), 401, "TOKEN_INVALID");
      expect(await untilStatus(() => rest.get("/api/v1/projects"), 401)).toBeLessThan(2000);
      expect((await remove(admin, `/api/v1/tokens/${token.id}`)).status).toBe(204);
      const { data } = (await admin.get("/api/v1/tokens")).body;
      expect(data.find(({ id }: any) => id === token.id).status).toBe("REVOKED");
    });

    it("of the last administrator are 409 to revoke, also when it does so itself", async () => {
      const rest = createRest(system.url, await system.anotherOrganization("One administrator"));
      const { id } = (await rest.get("/api/v1/me")).body.token;
      expectProblem(await remove(rest, `/api/v1/tokens/${id}`), 409, "LAST_ADMINISTRATOR");
      const permissions = ["tokens:admin", "organization:admin"];
      await created(rest.post("/api/v1/tokens", { name: "Heir", scope: "ORGANIZATION", permissions }));
      expect((await remove(rest, `/api/v1/tokens/${id}`)).status).toBe(204);
    });

    it("of another organization or none are 404, those out of reach 403", async () => {
      const { id } = await project("Narrow");
      const narrow = getRest(await projectToken(id, ["tokens:admin"]));
      const wide = await organizationToken(["classify"]);
      const requests = (rest: Rest, tokenId: string) => [
        remove(rest, `/api/v1/tokens/${tokenId}`),
        rest.post(`/api/v1/tokens/${tokenId}:rotate`, { graceSeconds: 0 }),
      ];
      for (const request of requests(narrow, wide.id)) expectProblem(await request, 403, "TOKEN_OUT_OF_REACH");
      for (const request of [...requests(stranger, wide.id), ...requests(admin, "tok_none")]) {
        expectProblem(await request, 404, "TOKEN_NOT_FOUND", "tokenId");
      }
      expect((await getRest(wide).get("/api/v1/me")).status).toBe(200);
    });

    it("keep their identity through a rotation, the old secret as long as it was said", async () => {
      const token = await organizationToken(["documents:read"]);
      const begun = Date.now();
      const rotated = await admin.post(`/api/v1/tokens/${token.id}:rotate`, { graceSeconds: 4 });
      expect(rotated.status).toBe(201);
      expect(Object.keys(rotated.body)).toEqual([...tokenKeys, "secret"]);
      expect(rotated.body).toMatchObject({ id: token.id, prefix: rotated.body.secret.slice(0, 8) });
      expect(rotated.body.secret).not.toBe(token.secret);
      for (const { secret } of [token, rotated.body]) {
        expect((await getRest({ secret }).get("/api/v1/me")).body.token.id).toBe(token.id);
      }
      await untilStatus(() => getRest(token).get("/api/v1/me"), 401);
      expect(Date.now() - begun).toBeGreaterThanOrEqual(4_000);
      expect((await getRest(rotated.body).get("/api/v1/me")).status).toBe(200);
      const at = `/api/v1/tokens/${token.id}:rotate`;
      expectProblem(await admin.post(at), 400, "INVALID_REQUEST", "graceSeconds");
      expectProblem(await admin.post(at, { graceSeconds: -1 }), 400, "INVALID_REQUEST", "graceSeconds");
      await remove(admin, `/api/v1/tokens/${token.id}`);
      expectProblem(await admin.post(at, { graceSeconds: 0 }), 409, "TOKEN_NOT_ACTIVE");
    });

    it("serve every request with either secret during the overlap of a rotation", async () => {
      let token = await organizationToken(["documents:read"]);
      for (let round = 0; round < 3; round += 1) {
        const secrets = [token];
        const refused: number[] = [];
        let answered = 0;
        let rotated = false;
        // Eight clients that never pause, before, while and after the token is rotated; each takes one secret after the other.
        const clients = Array.from({ length: 8 }, async () => {
          for (let request = 0, late = 0; late < 10; request += 1, late += rotated ? 1 : 0) {
            const { status } = await getRest(secrets[request % secrets.length]).get("/api/v1/me");
            if (status !== 200) refused.push(status);
            answered += 1;
          }
        });
        token = await created(admin.post(`/api/v1/tokens/${token.id}:rotate`, { graceSeconds: 60 }));
        secrets.push(token);
        rotated = true;
        await Promise.all(clients);
        expect(refused).toEqual([]);
        expect(answered).toBeGreaterThanOrEqual(80);
      }
    });

    it("are not rotated by those who could not issue them, but for their own", async () => {
      const strong = await organizationToken(everything);
      const weak = await organizationToken(["tokens:admin"]);
      const rest = getRest(weak);
      const answer = await rest.post(`/api/v1/tokens/${strong.id}:rotate`, { graceSeconds: 0 });
      expectProblem(answer, 403, "PERMISSION_NOT_HELD");
      expect((await getRest(strong).get("/api/v1/me")).status).toBe(200);
      expect((await rest.post(`/api/v1/tokens/${weak.id}:rotate`, { graceSeconds: 60 })).status).toBe(201);
    });
  });

  describe("teams and users", () => {
    it("are created, listed, changed and deleted", async () => {
      const { id } = await project("Granted");
      const user = await created(admin.post("/api/v1/users", { name: " Edsger " }));
      expect(user).toMatchObject({ name: "Edsger", id: expect.stringMatching(/^usr_/) });
      expect((await admin.get("/api/v1/users")).body.data).toContainEqual(user);
      const team = await created(
        admin.post("/api/v1/teams", { name: "Day", projectIds: [id, id], userIds: [user.id] }),
      );
      expect(team).toMatchObject({ name: "Day", projectIds: [id], userIds: [user.id] });
      const path = `/api/v1/teams/${team.id}`;
      expect((await admin.patch(path, {})).body).toEqual(team);
      expect((await admin.patch(path, { name: "Day" })).body).toEqual(team);
      const changed = await admin.patch(path, { name: "Night", userIds: [] });
      expect(changed.body).toEqual({ ...team, name: "Night", userIds: [], updatedAt: changed.body.updatedAt });
      expect((await admin.get("/api/v1/teams")).body.data).toContainEqual(changed.body);
      expectProblem(await admin.patch(path, { name: null }), 400, "INVALID_REQUEST", "name");
      expectProblem(await admin.patch(path, { name: " " }), 400, "INVALID_REQUEST", "name");
      expectProblem(await admin.patch(path, { id: "team_1" }), 400, "INVALID_REQUEST", "id");
      expectProblem(await admin.patch(path, { projectIds: [id, "prj_x"] }), 404, "PROJECT_NOT_FOUND", "projectIds[1]");
      expectProblem(await admin.patch(path, { userIds: ["usr_x"] }), 404, "USER_NOT_FOUND", "userIds[0]");
      expectProblem(await stranger.patch(path, { name: "x" }), 404, "TEAM_NOT_FOUND", "teamId");
      expectProblem(await remove(stranger, path), 404, "TEAM_NOT_FOUND", "teamId");
      expect((await remove(admin, path)).status).toBe(204);
      expectProblem(await remove(admin, path), 404, "TEAM_NOT_FOUND", "teamId");
    });

    it("need organization:admin", async () => {
      const rest = getRest(await organizationToken(everything.filter((name) => name !== "organization:admin")));
      const answers = await Promise.all([
        rest.get("/api/v1/teams"),
        rest.post("/api/v1/teams", { name: "x" }),
        rest.patch("/api/v1/teams/team_x", {}),
        remove(rest, "/api/v1/teams/team_x"),
        rest.get("/api/v1/users"),
        rest.post("/api/v1/users", { name: "x" }),
        rest.get("/api/v1/audit"),
        rest.patch("/api/v1/projects/prj_x", {}),
        remove(rest, "/api/v1/projects/prj_x"),
      ]);
      for (const answer of answers) expectProblem(answer, 403, "MISSING_PERMISSION");
    });

    it("grant with the answer, and take within 2 s", async () => {
      const { id } = await project("Contested");
      const team = await created(admin.post("/api/v1/teams", { name: "Contenders", userIds: [userId] }));
      const rest = getRest(await organizationToken(["models:read"], [team.id]));
      const path = `/api/v1/teams/${team.id}`;
      const asks = {
        project: () => rest.get(`/api/v1/projects/${id}`),
        models: () => rest.get(`/api/v1/projects/${id}/deployments`),
        classifiers: () => rest.get(`/api/v1/classify?projectId=${id}`),
      };
      for (const ask of Object.values(asks)) expectProblem(await ask(), 403, "PROJECT_OUT_OF_REACH");
      for (const taken of [{ projectIds: [] }, { userIds: [] }]) {
        expect((await admin.patch(path, { projectIds: [id], userIds: [userId] })).status).toBe(200);
        for (const ask of Object.values(asks)) expect((await ask()).status).toBe(200);
        expect((await admin.patch(path, taken)).status).toBe(200);
        for (const ask of Object.values(asks)) expect(await untilStatus(ask, 403)).toBeLessThan(2000);
      }
      await admin.patch(path, { projectIds: [id], userIds: [userId] });
      expect((await asks.project()).status).toBe(200);
      await remove(admin, path);
      expect(await untilStatus(asks.project, 403)).toBeLessThan(2000);
      expect((await rest.get("/api/v1/me")).body.token.teamIds).toEqual([]);
    });
  });

  describe("projects", () => {
    it("are renamed by those who reach them", async () => {
      const before = await project("Old");
      const path = `/api/v1/projects/${before.id}`;
      expect((await admin.patch(path, {})).body).toEqual(before);
      const { body } = await admin.patch(path, { name: " New " });
      expect(body).toEqual({ ...before, name: "New", updatedAt: body.updatedAt });
      expect((await admin.get(path)).body).toEqual(body);
      expectProblem(await admin.patch(path, { name: "" }), 400, "INVALID_REQUEST", "name");
      expectProblem(await admin.patch(path, { organizationId: "org_1" }), 400, "INVALID_REQUEST", "organizationId");
      expectProblem(await stranger.patch(path, { name: "x" }), 404, "PROJECT_NOT_FOUND", "projectId");
      const elsewhere = await created(admin.post("/api/v1/teams", { name: "Elsewhere" }));
      const hidden = `/api/v1/projects/${(await project("Hidden", [elsewhere.id])).id}`;
      expectProblem(await admin.patch(hidden, { name: "x" }), 403, "PROJECT_OUT_OF_REACH");
      expectProblem(await remove(admin, hidden), 403, "PROJECT_OUT_OF_REACH");
    });

    it("are gone with the answer, with their models, schemas, deployments, grants and tokens", async () => {
      const { id } = await project("Doomed");
      const path = `/api/v1/projects/${id}`;
      const model = await created(
        admin.post(`${path}/deployments`, {
          name: "Invoices",
          tables: [{ slug: "invoice", isPrimary: true }],
          columns: [{ slug: "total" }],
        }),
      );
      const deployment = await created(admin.post(`/api/v1/deployments/${model.id}/deployments`, { name: "Stable" }));
      const ofProject = getRest(await projectToken(id, ["documents:read"]));
      expect((await ofProject.get("/api/v1/me")).status).toBe(200);
      expectProblem(await remove(stranger, path), 404, "PROJECT_NOT_FOUND", "projectId");
      expect((await remove(admin, path)).status).toBe(204);
      for (const target of [model.id, deployment.id, model.extractionSchemaId]) {
        expectProblem(await admin.get(`/api/v1/deployments/${target}/configuration`), 404, "DEPLOYMENT_NOT_FOUND");
      }
      expectProblem(await admin.get(path), 404, "PROJECT_NOT_FOUND");
      expectProblem(await remove(admin, path), 404, "PROJECT_NOT_FOUND");
      expect((await admin.get("/api/v1/projects")).body.data.map((each: any) => each.id)).not.toContain(id);
      const teams = (await admin.get("/api/v1/teams")).body.data;
      expect(teams.flatMap((team: any) => team.projectIds)).not.toContain(id);
      expect(await untilStatus(() => ofProject.get("/api/v1/me"), 401)).toBeLessThan(2000);
    });
  });
}
